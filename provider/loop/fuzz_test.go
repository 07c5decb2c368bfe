package loop_test

import (
	"encoding/json"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/aloudchat/aloud/provider"
	"github.com/aloudchat/aloud/provider/event"
	"github.com/aloudchat/aloud/provider/providertest"
)

// FuzzReply plays a reply with any text, call and tool result. The turn must end, with a result for every call, and
// all of it must be valid JSON.
func FuzzReply(f *testing.F) {
	f.Add("Hello", "id", "box__read_file", `{"path":"a"}`, "42")
	f.Add("[cannot] no", "", "read-file", ``, "")
	f.Add("[can", "call_1", "", `"{\"a\":1}"`, "\xff")
	f.Add("\n\n", "call_1", "../..", `{"a":`, strings.Repeat("x", 100_000))
	f.Add("a\xc3", "\xff", "\x1b[31m", `[1e999]`, "\x1b]52;c;\x07")
	f.Fuzz(func(t *testing.T, text, id, name, arguments, result string) {
		call := provider.Call{ID: id, Name: name, Arguments: json.RawMessage(arguments)}
		model := &providertest.Script{Forever: true, Replies: replies{{{Text: text}, {Calls: []provider.Call{call, call}}}}}
		_, ended := ask(t, chat(model, toolbox{{"read_file", says(result)}}), text)

		answered := map[string]bool{}
		for _, m := range ended.Conversation.Messages() {
			if !utf8.ValidString(m.Text) {
				t.Errorf("the message %q is not valid UTF-8", m.Text)
			}
			answered[m.CallID] = true
		}
		for _, call := range ended.Result.ToolCalls {
			if !answered[call.ID] || call.Status == event.CallPending {
				t.Errorf("the call %+v has no answer", call)
			}
		}
		if _, err := json.Marshal(ended.Result); err != nil {
			t.Error(err)
		}
		if _, err := json.Marshal(ended.Conversation.Messages()); err != nil {
			t.Error(err)
		}
	})
}
