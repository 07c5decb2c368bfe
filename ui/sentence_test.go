package ui

import (
	"context"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/aloudchat/aloud/mcpclient/elicit"
)

// approvalAt tells a story that begins when an approval has been on the screen for a while, and checks how often the
// tool ran.
func approvalAt(t *testing.T, after time.Duration, want int, story func(d *driver)) {
	t.Helper()
	call := calls("files__delete_file", "{}")
	call[0].Wait = 2 * time.Second
	model := says(call, chunks(0, "Gone."))
	if want == 0 {
		model = says(call, call)
	}
	o := with(model)
	drive(t, 80, 24, o, func(d *driver) {
		d.typeText("delete it\n")
		d.until("Allow this call?")
		d.wait(after)
		story(d)
	})
	if ran := len(o.Tools.(*toolbox).heard); ran != want {
		t.Errorf("the tool ran %d times, not %d", ran, want)
	}
}

// questionAt tells a story that begins when a question of a server has just appeared.
func questionAt(
	t *testing.T, title string, ask func(context.Context, *elicit.Inbox) string, story func(d *driver),
) {
	t.Helper()
	o := with(says())
	o.Inbox = elicit.NewInbox(true)
	drive(t, 80, 24, o, func(d *driver) {
		d.wait(time.Minute)
		go ask(d.ctx, o.Inbox)
		d.until(title)
		story(d)
	})
}

// After a sentence, the dialog is still open, and a letter alone answers it.
func TestSentenceIsNotAnAnswer(t *testing.T) {
	for _, sentence := range []string{"yesterday I saw", "as soon as", "see you", "no way, not at all", "really so"} {
		for _, after := range []time.Duration{500 * time.Millisecond, 5 * time.Second} {
			approvalAt(t, after, 1, func(d *driver) {
				d.words(sentence)
				d.sees("Allow this call?", "In your draft: "+sentence)
				d.seesNot("Reason:", "Gone.")
				d.wait(time.Second)
				d.press("y").wait(3 * time.Second)
				d.sees("Gone.", "› "+sentence)
			})
		}
	}
}

func TestKeyAfterLetterIsNotAnAnswer(t *testing.T) {
	stopped := func(d *driver) { d.wait(3 * time.Second); d.sees("■ Stopped", "› a") }
	refused := func(d *driver) {
		d.wait(time.Minute)
		d.sees("Allow this call?")
		d.press("n").wait(3 * time.Second)
		d.sees("■ Stopped")
	}
	for name, test := range map[string]struct{ follow, ends func(d *driver) }{
		"backspace": {func(d *driver) { d.press("backspace") }, refused},
		"paste":     {func(d *driver) { d.send(tea.PasteMsg{Content: "no\ny\n"}) }, refused},
		"scrolling": {func(d *driver) { d.press("pgdown") }, refused},
		"enter":     {func(d *driver) { d.press("enter") }, refused},
		"ctrl+c":    {func(d *driver) { d.press("ctrl+c") }, stopped},
		"esc":       {func(d *driver) { d.press("esc") }, stopped},
	} {
		t.Run(name, func(t *testing.T) {
			approvalAt(t, time.Second, 0, func(d *driver) {
				d.press("a")
				test.follow(d)
				test.ends(d)
			})
		})
	}
}

// A program that hangs has not read the keys that follow the letter.
func TestLetterBeforeHangIsNotAnAnswer(t *testing.T) {
	approvalAt(t, 5*time.Second, 0, func(d *driver) {
		d.m.Update(tea.KeyPressMsg{Code: 'y', Text: "y"})
		time.Sleep(10 * time.Second)
		d.send(tickMsg{})
		d.press("e").wait(3 * time.Second)
		d.sees("Allow this call?", "In your draft: ye")
	})
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
			questionAt(t, title, ask, func(d *driver) {
				d.wait(time.Second)
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
