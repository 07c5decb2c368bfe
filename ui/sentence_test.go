package ui

import (
	"context"
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/aloudchat/aloud/mcpclient/elicit"
)

// approvalAt tells a story that begins when an approval has been on the screen for a while, and returns how often the
// tool ran.
func approvalAt(t *testing.T, after time.Duration, story func(d *driver)) (ran int) {
	t.Helper()
	call := calls("files__delete_file", "{}")
	call[0].Wait = 2 * time.Second
	o := with(says(call, chunks(0, "Gone.")))
	drive(t, 80, 24, o, func(d *driver) {
		d.typeText("delete it\n")
		for !strings.Contains(d.screen(), "Allow this call?") {
			d.wait(time.Millisecond)
		}
		d.wait(after)
		story(d)
	})
	return len(o.Tools.(*toolbox).heard)
}

// After a sentence, the dialog is still open, and a letter alone answers it.
func TestSentenceIsNotAnAnswer(t *testing.T) {
	for _, sentence := range []string{"yesterday I saw", "as soon as", "see you", "no way, not at all", "really so"} {
		for _, after := range []time.Duration{500 * time.Millisecond, 5 * time.Second} {
			ran := approvalAt(t, after, func(d *driver) {
				d.words(sentence)
				d.sees("Allow this call?", "In your draft: "+sentence)
				d.seesNot("Reason:", "Gone.")
				d.wait(time.Second)
				d.press("y").wait(3 * time.Second)
				d.sees("Gone.", "› "+sentence)
			})
			if ran != 1 {
				t.Errorf("%q after %v: the tool ran %d times", sentence, after, ran)
			}
		}
	}
}

func TestKeyAfterLetterIsNotAnAnswer(t *testing.T) {
	for name, follow := range map[string]func(d *driver){
		"backspace": func(d *driver) { d.press("backspace") },
		"paste":     func(d *driver) { d.send(tea.PasteMsg{Content: "no\ny\n"}) },
		"scrolling": func(d *driver) { d.press("pgdown") },
		"enter":     func(d *driver) { d.press("enter") },
	} {
		ran := approvalAt(t, time.Second, func(d *driver) {
			d.press("a")
			follow(d)
			d.wait(time.Minute)
			d.sees("Allow this call?")
			d.press("n").wait(3 * time.Second)
			d.sees("■ Stopped")
		})
		if ran != 0 {
			t.Errorf("%s after a letter runs the tool", name)
		}
	}
}

func TestCtrlCAfterLetterStops(t *testing.T) {
	for _, key := range []string{"ctrl+c", "esc"} {
		ran := approvalAt(t, time.Second, func(d *driver) {
			d.press("y", key).wait(3 * time.Second)
			d.sees("■ Stopped", "› y")
		})
		if ran != 0 {
			t.Errorf("%s after a letter runs the tool", key)
		}
	}
}

// A program that hangs has not read the keys that follow the letter.
func TestLetterBeforeHangIsNotAnAnswer(t *testing.T) {
	ran := approvalAt(t, 5*time.Second, func(d *driver) {
		d.m.Update(tea.KeyPressMsg{Code: 'y', Text: "y"})
		time.Sleep(10 * time.Second)
		d.send(tickMsg{})
		d.press("e").wait(3 * time.Second)
		d.sees("Allow this call?", "In your draft: ye")
	})
	if ran != 0 {
		t.Error("the tool ran")
	}
}

// A letter for a dialog that closes by itself answers no other dialog.
func TestLetterBeforeDialogCloses(t *testing.T) {
	o := with(says())
	o.Inbox = elicit.NewInbox(true)
	o.OpenPage = func(address string) error { t.Errorf("%s was opened", address); return nil }
	drive(t, 80, 24, o, func(d *driver) {
		ctx, withdraw := context.WithCancel(d.ctx)
		go sendsTo("https://example.org/one")(ctx, o.Inbox)
		d.wait(2 * time.Second)
		go sendsTo("https://example.org/two")(d.ctx, o.Inbox)
		d.wait(2 * time.Second)
		d.sees("example.org/one")
		d.press("y")
		withdraw()
		d.wait(2 * time.Second)
		d.sees("example.org/two")
		d.press("esc").wait(time.Second)
		d.sees("› y")
	})
}

func TestSentenceAtQuestionsOfServers(t *testing.T) {
	const choice = `{"type":"object","properties":{"agree":{"type":"boolean","title":"Agree?"}}}`
	for title, ask := range map[string]func(context.Context, *elicit.Inbox) string{
		"asks to open a page": sendsTo("https://example.org/x"), "Agree?": elicits("Shall I?", choice),
	} {
		for _, sentence := range []string{"yes, but not now", "no, why?", "x-rays are"} {
			o := with(says())
			o.Inbox = elicit.NewInbox(true)
			drive(t, 80, 24, o, func(d *driver) {
				d.wait(time.Minute)
				go ask(d.ctx, o.Inbox)
				d.wait(time.Second)
				d.sees(title)
				d.words(sentence)
				d.press("enter").wait(time.Second)
				d.sees(title)
				d.seesNot("‹ yes ›", "‹ no ›")
				d.press("esc").wait(time.Second)
				d.seesNot(title)
				d.sees("› " + sentence)
			})
		}
	}
}
