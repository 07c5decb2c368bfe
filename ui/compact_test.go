package ui

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/aloudchat/aloud/provider"
	"github.com/aloudchat/aloud/provider/event"
	"github.com/aloudchat/aloud/session"
)

// summary is the message of a compaction.
func summary(from, until int) provider.Message {
	return provider.Message{Role: provider.RoleSummary, Text: "They talked.",
		Covers: &provider.Span{From: from, Until: until}}
}

// held is a conversation of some questions with answers.
func held(turns int) (c provider.Conversation) {
	for range turns {
		c = c.With(provider.Message{Role: provider.RoleUser, Text: "Why?"},
			provider.Message{Role: provider.RoleAssistant, Text: "Because."})
	}
	return c
}

func TestLoadCompacted(t *testing.T) {
	o := with(says())
	bare := summary(0, 2)
	bare.Text = ""
	o.Conversation = held(3).With(bare, summary(0, 4))
	drive(t, 80, 30, o, func(d *driver) {
		d.sees("Left out older tool results\nCompacted 4 messages")
		d.seesNot("They talked.", "enter continues", "/continue goes on")
	})
}

func TestCompact(t *testing.T) {
	store := session.Open(t.TempDir())
	model := says(chunks(0, strings.Repeat("A long answer. ", 400)), chunks(0, "Short."), chunks(0, "Yes."))
	model.Summary = chunks(second, "They talked", " at length.")
	o := with(model)
	o.Recorder = store.New()
	defer o.Recorder.Close()
	drive(t, 80, 24, o, func(d *driver) {
		d.typeText("/compact\n")
		d.sees("Nothing to compact yet")
		d.typeText("First?\n").wait(second)
		d.typeText("Second?\n").wait(second)
		d.typeText("/compact\n").wait(500 * time.Millisecond)
		d.sees("Compacting…")
		d.typeText("Third?\n")
		d.press("esc").wait(second)
		d.sees("Compacting stopped. The conversation is unchanged.", "Queued: Third?")
		d.seesNot("enter continues", "/continue goes on")
		d.typeText("/compact\n").wait(5 * second) // and then the queue
		d.sees("Compacted 2 messages: ", "Yes.")
		d.seesNot("They talked")
		asked := model.Requests()
		if text := fmt.Sprint(asked[len(asked)-1].Messages); strings.Contains(text, "A long answer") ||
			!strings.Contains(text, "They talked at length.") {
			t.Errorf("the model read %s", text)
		}
	})
	if stats, err := store.Stats(); err != nil || stats.Turns != 3 {
		t.Errorf("%d turns are counted, %v", stats.Turns, err)
	}
}

func TestCompactFails(t *testing.T) {
	drive(t, 80, 24, with(says()), func(d *driver) {
		d.turn(event.Ended{})
		err := &provider.Error{Text: "the server went away", Hint: "start it"}
		d.start(time.Second)
		d.m.talk.summary = true
		d.m.ended(event.Ended{Err: err, Result: event.Result{Stop: event.Stop{Reason: event.Failed}}})
		d.sees("✗ Compacting failed. The server went away. Start it.")
		d.seesNot("enter continues", "/retry")
	})
}
