package demo_test

import (
	"strings"
	"testing"

	"github.com/aloudchat/aloud/provider"
	"github.com/aloudchat/aloud/provider/demo"
)

func TestACompactedConversationGoesOn(t *testing.T) {
	chat := &provider.Chat{Model: &demo.Model{}, Name: demo.Name, Tools: builtIn(t)}
	var conv provider.Conversation
	send := func(question string) string {
		t.Helper()
		var answer string
		for ev, err := range chat.Send(t.Context(), conv, question) {
			if err != nil {
				t.Fatal(err)
			}
			if e, ok := ev.(provider.Ended); ok {
				conv, answer = e.Conversation, e.Result.Answer
			}
		}
		return answer
	}
	compact := func() string {
		t.Helper()
		var text string
		for ev, err := range chat.Compact(t.Context(), conv) {
			if err != nil {
				t.Fatal(err)
			}
			switch ev := ev.(type) {
			case provider.Appended:
				text = ev.Messages[0].Text
			case provider.Ended:
				conv = ev.Conversation
			}
		}
		return text
	}
	because := strings.Repeat(" I have to know, because I want to call somebody there.", 100)
	send("what time is it in Tokyo?" + because)
	send("what files are there?")
	send("what time is it in London?" + because)
	first := compact()
	lines := strings.Split(first, "\n")
	if len(lines) != 2 || !strings.HasPrefix(lines[0], "- what time is it in Tokyo? I have") || !strings.Contains(lines[0], "… In Tokyo it is **23:54:12**") ||
		lines[1] != "- what files are there? The folder holds 3 entries" {
		t.Errorf("the summary is %q", first)
	}
	if answer := send("what time is it in Berlin?"); !strings.Contains(answer, "15:54:12") {
		t.Errorf("it goes on with %q", answer)
	}
	// A summary of a summary loses nothing.
	if second := compact(); !strings.HasPrefix(second, first+"\n- what time is it in London? I have") || !strings.Contains(second, "… In London it is **14:54:12**") {
		t.Errorf("the second summary is %q", second)
	}
}
