package elicit

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/mark3labs/mcp-go/client/transport"
	"github.com/mark3labs/mcp-go/mcp"

	"github.com/aloudchat/aloud/secret"
)

// listener accepts everything, and remembers what it was asked.
type listener struct{ asked []string }

func (l *listener) Elicit(_ context.Context, q Elicitation) (Elicited, error) {
	l.asked = append(l.asked, fmt.Sprintf("%s %s", q.Message, q.Schema))
	return Elicited{Action: Accept, Content: map[string]any{"name": "Ada"}}, nil
}

func (l *listener) Sample(_ context.Context, q Sampling) (Sampled, error) {
	l.asked = append(l.asked, fmt.Sprintf("%s %+v", q.System, q.Messages))
	return Sampled{Model: "m", Text: "hi", Stop: "endTurn"}, nil
}

func TestSecretsAreHiddenInWhatServersAsk(t *testing.T) {
	person := &listener{}
	a := &Answerer{Server: "s", Host: person, Samples: true, Begin: (&Tally{}).Begin, Secrets: secret.Hide([]string{"hunter22"}, nil)}
	for method, params := range map[string]string{
		"elicitation/create": `{"message":"is hunter22 right?","requestedSchema":{"type":"object","properties":{"a":{"type":"string","default":"hunter22"}}}}`,
		"sampling/createMessage": `{"systemPrompt":"hunter22","maxTokens":9,"messages":[{"role":"user","content":{"type":"text","text":"say hunter22"}},
			{"role":"user","content":[{"type":"text","text":"a"},{"type":"text","text":"b hunter22"}]}]}`,
	} {
		if _, refused := a.Answer(t.Context(), method, json.RawMessage(params)); refused != nil {
			t.Errorf("%s: %s", method, refused.Message)
		}
	}
	told := strings.Join(person.asked, "\n")
	if strings.Contains(told, "hunter") || strings.Count(told, "•••") != 5 || !strings.Contains(told, "a\nb •••") {
		t.Errorf("the person was told %s", told)
	}
}

func TestASamplingOfManyPartsTakesLittleMemory(t *testing.T) {
	const times = 1 << 20
	a := &Answerer{Server: "s", Host: &listener{}, Samples: true, Begin: (&Tally{}).Begin}
	params := json.RawMessage(`{"maxTokens":9,"messages":[{"content":[` + strings.Repeat("0,", times) + `0]}]}`)
	q, err := a.readSampling(params)
	if err != nil {
		t.Fatal(err)
	}
	if m := q.Messages[0]; len(m.Other) != maxParts || m.Text != "[… and more]" {
		t.Errorf("%d parts were read, and %q", len(m.Other), m.Text)
	}
}

// FuzzRequests asks whatever comes, as a request and in the place of an answer. Nothing of it may crash, and what it leads to must be JSON.
func FuzzRequests(f *testing.F) {
	for _, seed := range [][2]string{
		{"elicitation/create", `{"message":"m","requestedSchema":{"type":"object","properties":{"a":{"type":"string"}}}}`},
		{"elicitation/create", `{"mode":"url","url":"https://example.com","elicitationId":"1"}`},
		{"sampling/createMessage", `{"messages":[{"role":"user","content":[{"type":"image","data":"aGk="},{"type":"audio"}]}],"maxTokens":1e99}`},
		{"tools/call", `{"resultType":"input_required","inputRequests":{"a":{"method":"roots/list"},"b":{"method":"elicitation/create","params":{}}},"requestState":"s"}`},
		{"tools/call", `{"elicitations":[{"mode":"url","url":"https://example.com","elicitationId":"1"}]}`},
	} {
		f.Add(seed[0], []byte(seed[1]))
	}
	f.Fuzz(func(t *testing.T, method string, params []byte) {
		asked := New(&Answerer{Server: "s", Host: &listener{}, Samples: true, Roots: func() []Root { return nil }, Begin: (&Tally{}).Begin})
		result, refused := asked.Answer(t.Context(), method, params)
		if (result == nil) == (refused == nil) {
			t.Errorf("the answer is %v, %v", result, refused)
		}
		if _, err := json.Marshal(result); err != nil {
			t.Error(err)
		}
		if strings.Contains(string(params), `"input_required"`) && strings.Contains(string(params), `{}`) {
			return // a server that says "later" is waited for
		}
		var data any
		_ = json.Unmarshal(params, &data)
		for _, response := range []*transport.JSONRPCResponse{
			{Result: params}, {Error: &mcp.JSONRPCErrorDetails{Code: mcp.URL_ELICITATION_REQUIRED, Data: data}},
		} {
			more, _, _ := asked.Satisfy(t.Context(), response, 1)
			if _, err := json.Marshal(more); err != nil {
				t.Error(err)
			}
		}
	})
}
