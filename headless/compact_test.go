package headless_test

import (
	"strings"
	"testing"

	"github.com/aloudchat/aloud/headless"
	"github.com/aloudchat/aloud/provider"
	"github.com/aloudchat/aloud/provider/loop"
	"github.com/aloudchat/aloud/provider/providertest"
	"github.com/aloudchat/aloud/session"
)

func TestCompactInLines(t *testing.T) {
	store := session.Open(t.TempDir())
	recorder := store.New()
	defer recorder.Close()
	model := &providertest.Script{Replies: []providertest.Reply{{{Text: "Noon."}}, {{Text: "Again."}}}, Summary: providertest.Reply{{Text: "Much was said."}}}
	var out, errs strings.Builder
	o := headless.LinesOptions{Options: headless.Options{
		Chat: &loop.Chat{Model: model, Name: "m"}, Conversation: long(), Recorder: recorder, Stdout: &out, Stderr: &errs,
	}}
	code := headless.Lines(t.Context(), o, strings.NewReader("/compact\nhi\n/retry\n"))
	if code != 0 || out.String() != "Noon.\nAgain.\n" {
		t.Errorf("exit code %d, %q", code, out.String())
	}
	for _, want := range []string{"Compacting…\nCompacted "} {
		if !strings.Contains(errs.String(), want) {
			t.Errorf("standard error lacks %q:\n%s", want, errs.String())
		}
	}
	if strings.Count(errs.String(), "✓") != 2 {
		t.Errorf("a summary is no turn and has no receipt:\n%s", errs.String())
	}
	requests := model.Requests()
	if len(requests) != 2 || len(requests[0].Messages) >= len(long().Messages()) {
		t.Errorf("after /compact the model reads %d messages", len(requests[0].Messages))
	}
	if _, err := store.List(); err != nil || !recorder.Saved() {
		t.Errorf("the summary is not in the session: %v", err)
	}
}

func TestCompactThatFails(t *testing.T) {
	down := &provider.Error{Kind: provider.KindUnavailable, Text: "no server"}
	var errs strings.Builder
	o := headless.LinesOptions{Options: headless.Options{
		Chat: &loop.Chat{Model: &providertest.Script{Down: down}, Name: "m"}, Conversation: long(), Stdout: &errs, Stderr: &errs, Quiet: true,
	}}
	headless.Lines(t.Context(), o, strings.NewReader("/compact\n"))
	if errs.String() != "aloud: no server\n" {
		t.Errorf("got %q", errs.String())
	}
}

func TestUndoDoesNotCompactInLines(t *testing.T) {
	model := &providertest.Script{Summary: providertest.Reply{{Text: "Much was said."}}}
	var errs strings.Builder
	o := headless.LinesOptions{Options: headless.Options{
		Chat: &loop.Chat{Model: model, Name: "m"}, Conversation: long(), Stdout: &errs, Stderr: &errs,
	}}
	headless.Lines(t.Context(), o, strings.NewReader("/compact undo\n"))
	if got := errs.String(); strings.Contains(got, "Compact") || !strings.Contains(got, "/compact undo needs the full screen") {
		t.Errorf("got %q", got)
	}
}
