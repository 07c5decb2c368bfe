package loop_test

import (
	"encoding/json"
	"testing"

	"github.com/aloudchat/aloud/provider/event"
)

func TestResultAsJSON(t *testing.T) {
	for want, r := range map[string]event.Result{
		`{"answer":"","model":"","session":"","stop":{"reason":"","detail":"","limit":null},"rounds":0,` +
			`"tool_calls":[],"sources":[],` +
			`"usage":{"prompt_tokens":0,"answer_tokens":0,"context_used":0,"context_size":0},` +
			`"timing_ms":{"load":0,"prompt":0,"answer":0,"tools":0,"total":0,"steps":[]}}`: {},
		`{"answer":"a","model":"m","session":"s","stop":{"reason":"time","detail":"d","limit":"2m0s"},"rounds":1,` +
			`"tool_calls":[{"id":"1","name":"n","server":"s","title":"N","arguments":{},"status":"ok","error":"",` +
			`"result":"r","duration_ms":5}],"sources":["file:///a"],` +
			`"usage":{"prompt_tokens":1,"answer_tokens":2,"context_used":3,"context_size":4},` +
			`"timing_ms":{"load":1,"prompt":2,"answer":3,"tools":4,"total":5,"steps":[]}}`: {
			Answer: "a", Model: "m", Session: "s", Rounds: 1, Sources: []string{"file:///a"},
			Stop: event.Stop{Reason: event.Time, Detail: "d", Limit: "2m0s"},
			ToolCalls: []event.ToolCall{
				{ID: "1", Name: "n", Server: "s", Title: "N", Arguments: json.RawMessage("{}"),
					Status: event.CallOK, Result: "r", DurationMS: 5},
			},
			Usage:  event.TurnUsage{PromptTokens: 1, AnswerTokens: 2, ContextUsed: 3, ContextSize: 4},
			Timing: event.Timing{Load: 1, Prompt: 2, Answer: 3, Tools: 4, Total: 5},
		},
	} {
		got, err := json.Marshal(r)
		if err != nil || string(got) != want {
			t.Errorf("the result is\n%s\nnot\n%s\n%v", got, want, err)
		}
	}
}
