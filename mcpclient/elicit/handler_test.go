package elicit

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/mark3labs/mcp-go/mcp"

	"github.com/aloudchat/aloud/internal/secret"
	"github.com/aloudchat/aloud/mcpclient/jsonrpc"
)

// recorder accepts every elicitation and records it.
type recorder struct{ asked []string }

func (r *recorder) Elicit(_ context.Context, e Elicitation) (Response, error) {
	r.asked = append(r.asked, fmt.Sprintf("%s %s", e.Message, e.Schema))
	return Response{Action: Accept, Content: map[string]any{"name": "Ada"}}, nil
}

func TestElicitationHidesSecrets(t *testing.T) {
	host := &recorder{}
	h := &Handler{Server: "s", Host: host, Pause: (&Timer{}).Pause, Secrets: secret.Hide([]string{"hunter22"}, nil)}
	params := `{"message":"is hunter22 right?","requestedSchema":{
		"type":"object","properties":{"a":{"type":"string","default":"hunter22"}}}}`
	if _, refused := h.handle(t.Context(), "elicitation/create", json.RawMessage(params)); refused != nil {
		t.Errorf("refused: %s", refused.Message)
	}
	asked := strings.Join(host.asked, "\n")
	if strings.Contains(asked, "hunter") || strings.Count(asked, "•••") != 2 {
		t.Errorf("the elicitation is %s", asked)
	}
}

// FuzzRequests sends any request, also in place of a result. Nothing may crash, and every response must be JSON.
func FuzzRequests(f *testing.F) {
	for _, seed := range [][2]string{
		{"elicitation/create", `{"message":"m","requestedSchema":{"type":"object","properties":{"a":{"type":"string"}}}}`},
		{"elicitation/create", `{"mode":"url","url":"https://example.com","elicitationId":"1"}`},
		{"tools/call", `{"resultType":"input_required","inputRequests":{"a":{"method":"roots/list"},
			"b":{"method":"elicitation/create","params":{}}},"requestState":"s"}`},
		{"tools/call", `{"elicitations":[{"mode":"url","url":"https://example.com","elicitationId":"1"}]}`},
	} {
		f.Add(seed[0], []byte(seed[1]))
	}
	f.Fuzz(func(t *testing.T, method string, params []byte) {
		requests := NewRequests(&Handler{Server: "s", Host: &recorder{}, Roots: []Root{}, Pause: (&Timer{}).Pause})
		result, refused := requests.handle(t.Context(), mcp.MCPMethod(method), params)
		if (result == nil) == (refused == nil) {
			t.Errorf("the response is %v, %v", result, refused)
		}
		if _, err := json.Marshal(result); err != nil {
			t.Error(err)
		}
		if strings.Contains(string(params), `"input_required"`) && strings.Contains(string(params), `{}`) {
			return // try again while the server is busy
		}
		visits := &jsonrpc.Error{Code: mcp.URL_ELICITATION_REQUIRED, Data: params}
		for _, m := range []jsonrpc.Message{{Result: params}, {Error: visits}} {
			more, _, _ := requests.ProvideInput(t.Context(), m, 1)
			if _, err := json.Marshal(more); err != nil {
				t.Error(err)
			}
		}
	})
}
