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

func TestSecretsAreHiddenInWhatServersAsk(t *testing.T) {
	person := &listener{}
	a := &Answerer{Server: "s", Host: person, Begin: (&Tally{}).Begin, Secrets: secret.Hide([]string{"hunter22"}, nil)}
	params := `{"message":"is hunter22 right?","requestedSchema":{"type":"object","properties":{"a":{"type":"string","default":"hunter22"}}}}`
	if _, refused := a.Answer(t.Context(), "elicitation/create", json.RawMessage(params)); refused != nil {
		t.Errorf("it is refused: %s", refused.Message)
	}
	told := strings.Join(person.asked, "\n")
	if strings.Contains(told, "hunter") || strings.Count(told, "•••") != 2 {
		t.Errorf("the person was told %s", told)
	}
}

// FuzzRequests asks whatever comes, as a request and in the place of an answer. Nothing of it may crash, and what it leads to must be JSON.
func FuzzRequests(f *testing.F) {
	for _, seed := range [][2]string{
		{"elicitation/create", `{"message":"m","requestedSchema":{"type":"object","properties":{"a":{"type":"string"}}}}`},
		{"elicitation/create", `{"mode":"url","url":"https://example.com","elicitationId":"1"}`},
		{"tools/call", `{"resultType":"input_required","inputRequests":{"a":{"method":"roots/list"},"b":{"method":"elicitation/create","params":{}}},"requestState":"s"}`},
		{"tools/call", `{"elicitations":[{"mode":"url","url":"https://example.com","elicitationId":"1"}]}`},
	} {
		f.Add(seed[0], []byte(seed[1]))
	}
	f.Fuzz(func(t *testing.T, method string, params []byte) {
		asked := New(&Answerer{Server: "s", Host: &listener{}, Roots: []Root{}, Begin: (&Tally{}).Begin})
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
