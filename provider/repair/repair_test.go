package repair_test

import (
	"testing"

	"github.com/aloudchat/aloud/provider"
	"github.com/aloudchat/aloud/provider/providertest"
	"github.com/aloudchat/aloud/provider/repair"
)

// TestLeavingAtAnyChunk relies on Go's panic if an iterator calls yield after the loop has ended.
func TestLeavingAtAnyChunk(t *testing.T) {
	broken := &provider.Error{Kind: provider.KindBroken, Text: "broken"}
	for _, reply := range map[string]providertest.Reply{
		"empty":     {{Thinking: "hm"}},
		"thinking":  {{Thinking: "on"}, {Thinking: " and"}, {Thinking: " on"}},
		"broken":    {{Thinking: "hm"}, {Text: "half"}, {Err: broken}},
		"tags":      {{Text: "hm"}, {Text: "</think>"}, {Text: "an answer"}},
		"a printed": {{Text: `{"name":"read",`}, {Text: `"arguments":{}}`}},
	} {
		for n := 1; ; n++ {
			script := &providertest.Script{Replies: []providertest.Reply{reply}, Forever: true}
			model := repair.New()(script, repair.Known{ThinkingTokens: 2})
			req := provider.Request{
				Purpose: provider.ForAnswer, Tools: []provider.ToolSpec{{Name: "read"}},
				Messages: []provider.Message{{Role: provider.RoleUser, Text: "?"}, {Role: provider.RoleAssistant, Text: "before"}},
			}
			seen := 0
			for range model.Chat(t.Context(), req) { //nolint:errcheck // the test only leaves the loop
				if seen++; seen == n {
					break
				}
			}
			if seen < n {
				break
			}
		}
	}
}

// An empty chunk would mean that the model has read the prompt.
func TestRefusalHasNoChunks(t *testing.T) {
	refusal := &provider.Error{Kind: provider.KindTooLong, Text: "too long"}
	m := repair.New()(&providertest.Script{Replies: []providertest.Reply{{{Err: refusal}}}}, repair.Known{})
	for chunk, err := range m.Chat(t.Context(), provider.Request{}) {
		if err == nil {
			t.Errorf("before the refusal comes %+v", chunk)
		}
	}
}
