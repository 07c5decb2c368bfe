package ui

import (
	"strings"
	"testing"
	"time"

	"github.com/aloudchat/aloud/provider"
	"github.com/aloudchat/aloud/provider/providertest"
	"github.com/aloudchat/aloud/session"
)

// questions returns your messages in the last request.
func questions(model *providertest.Script) (texts []string) {
	all := model.Requests()
	for _, m := range all[len(all)-1].Messages {
		if m.Role == provider.RoleUser {
			texts = append(texts, m.Text)
		}
	}
	return texts
}

// sent compares your messages in the last request.
func (d *driver) sent(model *providertest.Script, want ...string) {
	d.t.Helper()
	if got := strings.Join(questions(model), " | "); got != strings.Join(want, " | ") {
		d.t.Errorf("sent was %q, not %q", got, strings.Join(want, " | "))
	}
}

// tabbing is a chat whose first turn reads a file for twelve seconds before its second request.
func tabbing() (Options, *providertest.Script) {
	model := says(calls("files__read_file", `{"path":"notes.txt"}`), chunks(second, "Done."), chunks(second, "More."))
	o := with(model)
	o.Tools.(*toolbox).takes = 12 * time.Second
	return o, model
}

func TestTabSendsFirstQueuedWithNextRequest(t *testing.T) {
	store := session.Open(t.TempDir())
	o, model := tabbing()
	o.Recorder = store.New()
	drive(t, 100, 24, o, func(d *driver) {
		d.typeText("go\n").wait(second)
		d.typeText("and this\nand that\n").press("tab")
		d.sees("Next request: and this", "Queued: and that")
		d.golden("queue-100")
		d.wait(11 * second)
		d.sees("▌ and this", "Queued: and that")
		d.seesNot("Next request")
		d.sent(model, "go", "and this")
		d.wait(4 * second)
		d.sees("More.")
		d.seesNot("Queued")
		d.sent(model, "go", "and this", "and that")
	})
	_, conv, _, err := store.Read(o.Recorder.ID())
	if err != nil {
		t.Fatal(err)
	}
	var roles []string
	for _, m := range conv.Messages() {
		roles = append(roles, string(m.Role))
	}
	if got := strings.Join(roles, " "); got != "user assistant tool user assistant user assistant" {
		t.Errorf("the session has %s", got)
	}
	if n := strings.Count(strings.Join(questions(model), " "), "and this"); n != 1 {
		t.Errorf("the message was sent %d times", n)
	}
}

func TestTabWithoutAnotherRequestSendsAtTheEnd(t *testing.T) {
	model := says(chunks(second, "One."), chunks(second, "Two."), chunks(second, "Three."))
	drive(t, 100, 24, with(model), func(d *driver) {
		d.typeText("go\n").wait(100 * time.Millisecond)
		d.typeText("second\nthird\n").press("tab").wait(second)
		d.sees("One.", "▌ second", "Queued: third")
		d.wait(3 * second)
		d.sees("Three.")
		d.sent(model, "go", "second", "third")
	})
}

// A message that needs data from a server, and a command, cannot go into a running turn.
func TestTabLeavesCommandsInQueue(t *testing.T) {
	o, _ := tabbing()
	drive(t, 100, 24, o, func(d *driver) {
		d.typeText("go\n").wait(second)
		d.typeText("/compact \n").press("tab")
		d.sees("/compact waits for the end of the answer", "Queued: /compact")
	})
}

func TestStopKeepsQueueUntilEnter(t *testing.T) {
	o, model := tabbing()
	model.Replies[1], model.Replies[2] = chunks(0, "First."), chunks(0, "Second.")
	drive(t, 100, 24, o, func(d *driver) {
		d.typeText("go\n").wait(second)
		d.typeText("one\ntwo\n").press("tab", "esc").wait(time.Minute)
		d.sees("Queued: one", "Queued: two", "enter sends the queue")
		d.seesNot("Next request", "▌ one")
		if n := len(model.Requests()); n != 1 {
			t.Errorf("%d requests after the stop", n)
		}
		d.press("enter").wait(second)
		d.sees("First.", "Second.")
		d.seesNot("Queued")
		d.sent(model, "go", "one", "two")
	})
}

func TestFailedTurnKeepsQueue(t *testing.T) {
	model := says(providertest.Reply{{Wait: second, Err: &provider.Error{Kind: provider.KindFailed, Text: "it is gone"}}},
		chunks(0, "Back."))
	drive(t, 100, 24, with(model), func(d *driver) {
		d.typeText("go\n").wait(100 * time.Millisecond)
		d.typeText("one\n").press("tab").wait(time.Minute)
		d.sees("✗ It is gone.", "Queued: one", "enter sends the queue")
		d.press("enter").wait(second)
		d.sees("Back.")
		d.sent(model, "go\n\none") // as nothing was said between
	})
}

func TestUpEditsLastQueuedInItsPlace(t *testing.T) {
	drive(t, 100, 24, with(says(blocked("Half"))), func(d *driver) {
		d.typeText("go\n").wait(second)
		d.typeText("one\ntwo\n").press("up")
		d.sees("› two", "Queued: one")
		d.typeText("!\n")
		d.sees("  Queued: one\n  Queued: two!")
		d.press("up", "ctrl+c") // removes it
		d.seesNot("Queued: two")
		d.press("up", "ctrl+c", "up")
		d.sees("› one") // a discarded draft comes back
	})
}

func TestQueueListEditsMovesAndRemoves(t *testing.T) {
	drive(t, 100, 24, with(says(blocked("Half"))), func(d *driver) {
		d.typeText("go\n").wait(second)
		d.typeText("one\ntwo\nthree\n").press("tab")
		d.typeText("/queue\n")
		d.golden("queue-list-100")
		d.press("d") // one goes down
		d.sees("1 two", "2 one", "3 three")
		d.press("x")
		d.sees("1 two", "2 three")
		d.press("u", "u", "down", "up", "enter")
		d.sees("Queued: two", "› three")
		d.typeText("!\n")
		d.sees("  Queued: three!\n  Queued: two")
		d.typeText("/queue\n").press("x", "x")
		d.seesNot("Queue")
		d.typeText("/queue\n")
		d.sees("Nothing is queued")
	})
}

func TestLongQueueSaysHowManyMore(t *testing.T) {
	drive(t, 80, 24, with(says(blocked("Half"))), func(d *driver) {
		d.typeText("go\n").wait(second)
		d.typeText("1\n2\n3\n4\n5\n6\n7\n")
		d.sees("Queued: 4\n  … 3 more · /queue lists them")
	})
}
