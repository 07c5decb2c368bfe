//go:build e2e && unix

package e2e

import (
	"strings"
	"testing"
)

// These texts are what the loop tells the model when a conversation is compacted.
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
			t.Fatalf("the conversation does not go on: exit code %d, answer %q\nstderr: %s", out.code, r.Answer, out.stderr)
		}
	}
	chats := w.traffic.requests()
	if countSummaries(chats) == 0 {
		t.Fatalf("no summary was asked for in %d requests", len(chats))
	}
	last := chats[len(chats)-1]
	if len(last.Messages) < 2 || !strings.HasPrefix(last.Messages[1].Content, summaryIntro) || !strings.Contains(last.Messages[1].Content, summary) {
		t.Errorf("the last request does not begin with the summary: %+v", last.Messages)
	}
	for i, chat := range chats {
		if chat.Options.NumCtx != 4096 {
			t.Errorf("request %d has a context of %d, want the one of the configuration", i, chat.Options.NumCtx)
		}
	}
	if shown := w.run("sessions", "show").stdout; !strings.Contains(shown, "the very first ones") {
		t.Errorf("the session has lost the first question:\n%s", shown)
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
		t.Error("no summary was asked for: the questions were not long enough")
	}
}

func countSummaries(chats []chatRequest) (n int) {
	for _, chat := range chats {
		if chat.asks(summaryRequest) {
			n++
		}
	}
	return n
}
