package ollama

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/aloudchat/aloud/provider"
)

// sent returns the body of a request, without its last two fields.
func sent(t *testing.T, req provider.Request) string {
	t.Helper()
	encoded, err := json.Marshal(new(Client).chatRequest(req))
	must(t, err)
	body, ok := strings.CutSuffix(string(encoded), `,"truncate":false,"shift":false}`)
	if !ok {
		t.Errorf("%s may be truncated", encoded)
	}
	return body
}

func TestChatRequest(t *testing.T) {
	cold := 0.0
	for _, tt := range []struct {
		name string
		req  provider.Request
		want string
	}{
		{
			name: "a question",
			req:  provider.Request{Model: "m", Context: 8192, Messages: []provider.Message{{Role: "user", Text: "hi"}}},
			want: `{"model":"m","messages":[{"role":"user","content":"hi"}],"options":{"num_ctx":8192}`,
		},
		{
			name: "everything set",
			req:  provider.Request{Model: "m", Context: 4096, MaxTokens: 20, Temperature: &cold, Think: provider.ThinkOff},
			want: `{"model":"m","messages":[],"options":{"num_ctx":4096,"num_predict":20,"temperature":0},"think":false`,
		},
		{
			name: "thinking on, with an image",
			req: provider.Request{Model: "m", Context: 1, Think: provider.ThinkOn,
				Messages: []provider.Message{{Role: "user", Text: "this?", Images: [][]byte{{1, 2, 3}}}}},
			want: `{"model":"m","messages":[{"role":"user","content":"this?","images":["AQID"]}],` +
				`"options":{"num_ctx":1},"think":true`,
		},
		{
			name: "a tool",
			req: provider.Request{Model: "m", Context: 1, Tools: []provider.ToolSpec{{Name: "t", Description: "Does it.",
				Schema: json.RawMessage(`{"properties":{"n":{"type":"integer","minimum":1}}}`)}}},
			want: `{"model":"m","messages":[],"tools":[{"type":"function","function":{"name":"t",` +
				`"description":"Does it.","parameters":{"type":"object","properties":{"n":{"type":"integer",` +
				`"description":"(minimum 1)"}}}}}],"options":{"num_ctx":1}`,
		},
		{
			name: "two turns, thinking as it is given",
			req: provider.Request{Model: "m", Context: 1, Messages: []provider.Message{
				{Role: provider.RoleUser, Text: "before"},
				{Role: provider.RoleAssistant, Calls: []provider.Call{{ID: "1", Name: "t"}}},
				{Role: provider.RoleTool, CallID: "1", Tool: "t", Text: "r"},
				{Role: provider.RoleUser, Text: "now"},
				{Role: provider.RoleAssistant, Thinking: "new", Calls: []provider.Call{
					{ID: "2", Name: "t", Arguments: json.RawMessage(`{"b":12345678901234567890,"a":1.50}`)},
					{ID: "3", Name: "u", Arguments: json.RawMessage(`not json`)}}},
				{Role: provider.RoleTool, CallID: "2", Tool: "t", Text: "s"},
			}},
			want: `{"model":"m","messages":[{"role":"user","content":"before"},` +
				`{"role":"assistant","content":"","tool_calls":[{"id":"1","function":{"index":0,"name":"t","arguments":{}}}]},` +
				`{"role":"tool","content":"r","tool_name":"t","tool_call_id":"1"},{"role":"user","content":"now"},` +
				`{"role":"assistant","content":"","thinking":"new","tool_calls":[{"id":"2","function":{"index":0,` +
				`"name":"t","arguments":{"b":12345678901234567890,"a":1.50}}},` +
				`{"id":"3","function":{"index":1,"name":"u","arguments":{}}}]},` +
				`{"role":"tool","content":"s","tool_name":"t","tool_call_id":"2"}],` +
				`"options":{"num_ctx":1}`,
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if got := sent(t, tt.req); got != tt.want {
				t.Errorf("sent\n\t%s\nwant\n\t%s", got, tt.want)
			}
		})
	}
}

func TestEachRequestHasItsOwnTools(t *testing.T) {
	c := new(Client)
	for _, schema := range []string{`{"properties":{"a":{}}}`, `{"properties":{"b":{}}}`, "", `{"properties":{"b":{}}}`} {
		var req provider.Request
		if schema != "" {
			req.Tools = []provider.ToolSpec{{Name: "t", Schema: json.RawMessage(schema)}}
		}
		got := c.chatRequest(req).Tools
		if len(got) != len(req.Tools) || len(got) > 0 && !strings.Contains(string(got[0]), schema[1:len(schema)-1]) {
			t.Errorf("with the schema %s the tools are %s", schema, got)
		}
	}
}
