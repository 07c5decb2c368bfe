//go:build e2e && unix

package e2e

import (
	"strings"
	"testing"
)

// These texts are sent to the model when a conversation is compacted.
const (
	summaryRequest = "Summarise our conversation"
	summaryIntro   = "What we said before, in short:"
	summary        = "In short: they wanted lines, and lines they got."
)

func TestLongConversationIsCompacted(t *testing.T) {
	w := newWorld(t)
	w.settings = "context = 4096"
	w.configure(w.traffic.URL, "")
	w.ask("[[lines]] the very first ones")
	for range 4 {
		r, out := w.ask("[[lines]] and more of them", "--continue")
		if out.code != 0 || !strings.Contains(r.Answer, "line number 39") {
			t.Fatalf("exit code %d, answer %q\nstderr: %s", out.code, r.Answer, out.stderr)
		}
	}
	chats := w.traffic.requests()
	if countSummaries(chats) == 0 {
		t.Fatalf("no summary in %d requests", len(chats))
	}
	messages := chats[len(chats)-1].Messages
	if len(messages) < 2 || !strings.HasPrefix(messages[1].Content, summaryIntro+"\n"+summary) {
		t.Errorf("the last request does not begin with the summary: %+v", messages)
	}
	for i, chat := range chats {
		if chat.Options.NumCtx != 4096 {
			t.Errorf("request %d has a context of %d, want 4096", i, chat.Options.NumCtx)
		}
	}
	if shown := w.run("sessions", "show").stdout; !strings.Contains(shown, "the very first ones") {
		t.Errorf("the first message is missing in the saved conversation:\n%s", shown)
	}
}

// TestCompactAfterServerRefusal sends text with one token per byte: aloud underestimates it, and the server refuses
// it.
func TestCompactAfterServerRefusal(t *testing.T) {
	w := newWorld(t)
	w.settings = "context = 4096"
	w.configure(w.traffic.URL, "")
	hard := strings.Repeat("☃", 1000)
	for _, more := range [][]string{{"--no-tools"}, {"--no-tools", "--continue"}} {
		r, out := w.ask(hard+" [[summary]]", more...)
		if out.code != 0 || !strings.Contains(r.Answer, summary) {
			t.Fatalf("exit code %d, answer %q\nstderr: %s", out.code, r.Answer, out.stderr)
		}
	}
	if countSummaries(w.traffic.requests()) == 0 {
		t.Error("no summary was requested: the messages are too short")
	}
}

func countSummaries(chats []chatRequest) (n int) {
	for _, chat := range chats {
		if chat.lastHasPrefix(summaryRequest) {
			n++
		}
	}
	return n
}
