package ui

import (
	"context"
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/aloudchat/aloud/mcpclient/elicit"
	"github.com/aloudchat/aloud/provider/providertest"
	"github.com/aloudchat/aloud/ui/dialog"
	"github.com/aloudchat/aloud/ui/look"
	"github.com/aloudchat/aloud/ui/screen"
)

// plate is a dialog that keeps every key.
type plate struct {
	got []string
}

func (p *plate) Update(msg tea.Msg) (done bool, cmd tea.Cmd) {
	switch msg := msg.(type) {
	case tea.KeyPressMsg:
		p.got = append(p.got, msg.String())
		return msg.String() == "esc", nil
	case tea.PasteMsg:
		p.got = append(p.got, msg.Content)
	}
	return false, nil
}

func (p *plate) Traits() dialog.Traits { return dialog.Traits{Text: true} }
func (p *plate) View(width, _ int, st *look.Look) []string {
	return []string{st.Title("A plate", "", width)}
}

// words types text one letter at a time.
func (d *driver) words(text string) {
	for _, letter := range text {
		d.typeText(string(letter)).wait(150 * time.Millisecond)
	}
}

func TestDialogKeepsDraft(t *testing.T) {
	drive(t, 80, 24, with(says()), func(d *driver) {
		d.words("I wond")
		p := &plate{}
		d.m.dialogs.Open(p)
		d.words("er y")
		d.send(tea.PasteMsg{Content: "es"})
		d.press("enter")
		d.sees("A plate")
		if len(p.got) > 0 {
			t.Errorf("the dialog took %q", p.got)
		}
		d.wait(time.Second)
		d.words("yes")
		d.send(tea.PasteMsg{Content: "no"})
		d.press("esc")
		if got := strings.Join(p.got, ""); got != "yesnoesc" {
			t.Errorf("when the keyboard was still the dialog took %q", got)
		}
		d.sees("› I wonder yes")
	})
}

// TestQueuedPrompts checks that the dialogs of a queued prompt open after the turn before it.
func TestQueuedPrompts(t *testing.T) {
	drive(t, 80, 24, at(newFair(), says(chunks(3*time.Second, "One."))), func(d *driver) {
		d.typeText("first\n/all:greet\n")
		d.words("see you there, every one of you who are free then") // five seconds
		d.sees("/all:greet · 3 messages")
		d.wait(time.Second)
		d.press("esc").wait(time.Second)
		d.sees("› see you there, every one of you who are free then")
	})
}

func TestNextDialogIsAnnounced(t *testing.T) {
	for width, words := range map[int]string{40: "● Server files asks for input · next",
		80: "● Server files asks for input · opens when you close this"} {
		o := with(says())
		o.Inbox = elicit.NewInbox(true)
		drive(t, width, 24, o, func(d *driver) {
			d.typeText("/help\n")
			go elicits("Who are you?", allKinds)(d.ctx, o.Inbox)
			d.wait(10 * time.Second)
			d.sees("Ask and stop", words)
			d.m.dialogs.Open(&plate{})
			d.send(nil)
			d.sees("Ask and stop", words)
			d.press("esc")
			d.sees("Server files asks for input", "Who are you?")
			d.wait(time.Second)
			d.press("esc")
			d.sees("A plate")
		})
	}
}

func TestApprovalWhileFormIsOpen(t *testing.T) {
	call := calls("files__delete_file", "{}")
	call[0].Wait = 2 * time.Second
	o := with(&providertest.Script{Replies: []providertest.Reply{call, chunks(0, "Gone.")}})
	o.Inbox = elicit.NewInbox(true)
	drive(t, 80, 24, o, func(d *driver) {
		d.typeText("delete it\n")
		go elicits("Who are you?", allKinds)(d.ctx, o.Inbox)
		d.wait(time.Second)
		d.words("Ann of Avonlea")
		d.sees("Server files asks for input", "Ann of Avonlea▏",
			"● Delete File needs your approval · opens when you close this")
		d.press("esc", "esc").wait(time.Second)
		d.sees("Allow this call?")
		d.press("n").wait(time.Second)
	})
}

// TestApprovalIgnoresEarlyKeys has stories that begin when the approval has just appeared, and end with the number of
// times the tool ran.
func TestApprovalIgnoresEarlyKeys(t *testing.T) {
	type story struct {
		name string
		tell func(d *driver)
		want int
	}
	answers := func(d *driver) {
		d.sees("Allow this call?", "Waiting for your approval")
		d.wait(time.Second)
		d.press("y").wait(3 * time.Second)
		d.sees("Gone.")
	}
	// away is a program that was stopped, or whose terminal hung. When it continues, the waiting key may come before or
	// after the clock.
	away := func(first tea.Msg) func(d *driver) {
		return func(d *driver) {
			d.wait(5 * time.Second)
			time.Sleep(10 * time.Second)
			if first != nil {
				d.m.Update(first)
			}
			d.press("a").wait(2 * time.Second)
			d.sees("Allow this call?")
			d.press("n").wait(time.Second)
			d.sees("› a")
		}
	}
	stories := []story{
		{"esc is early", func(d *driver) {
			d.press("esc").wait(time.Second)
			d.sees("■ Stopped by you")
		}, 0},
		{"an arrow is early, and enter is not", func(d *driver) {
			d.press("down").wait(400 * time.Millisecond)
			d.sees("› r  deny with a reason")
			d.press("enter").wait(time.Second)
			d.press("esc", "esc").wait(time.Second)
		}, 0},
		{"enter is early", func(d *driver) { d.press("enter"); answers(d) }, 1},
		{"away, then a key", away(nil), 0}, {"away, then the clock", away(tickMsg{}), 0},
		{"stopped", away(screen.ContinuedMsg{}), 0},
		{"a busy machine, whose clock comes late", func(d *driver) {
			d.wait(3 * time.Second)
			for range 5 {
				time.Sleep(400 * time.Millisecond)
				d.m.Update(tickMsg{})
			}
			time.Sleep(400 * time.Millisecond)
			d.press("y").wait(3 * time.Second)
			d.sees("Gone.")
		}, 1},
		{"an answer that comes in the next turn", func(d *driver) {
			d.wait(3 * time.Second)
			_, late := d.m.Update(tea.KeyPressMsg{Code: 'y', Text: "y"})
			d.m.talk.turn.cancel()
			d.wait(time.Second)
			d.typeText("delete another\n")
			d.exec(late)
			d.wait(5 * time.Second)
			d.sees("Allow this call?")
			d.press("n").wait(time.Second)
		}, 0},
	}
	for _, key := range []string{"y", "a", "s", "n", "r"} {
		stories = append(stories, story{key + " is early", func(d *driver) {
			d.press(key)
			d.seesNot("Why not?")
			answers(d)
			d.sees("› " + key)
		}, 1})
	}
	for _, s := range stories {
		t.Run(s.name, func(t *testing.T) {
			approvalAt(t, 0, s.want, s.tell)
		})
	}
}

func TestFormIgnoresEarlyKeys(t *testing.T) {
	for title, ask := range map[string]func(context.Context, *elicit.Inbox) string{
		"asks to open a page": sendsTo("https://example.org/x"), "asks for input": elicits("Shall I?", ""),
	} {
		questionAt(t, title, ask, func(d *driver) {
			d.wait(100 * time.Millisecond)
			d.press("y", "enter", "esc", "ctrl+c").wait(time.Second)
			d.sees(title)
			d.press("esc").wait(time.Second)
			d.seesNot(title)
		})
	}
}

func TestCtrlCClosesDialog(t *testing.T) {
	o := with(says())
	o.Inbox = elicit.NewInbox(true)
	drive(t, 80, 24, o, func(d *driver) {
		d.typeText("/tools\n")
		d.press("enter")
		d.sees("── files", "Reads a file.")
		d.press("ctrl+c")
		d.sees("── 2 tools on")
		d.wait(5 * time.Second)
		d.press("ctrl+c")
		d.seesNot("2 tools on")
		go elicits("Who are you?", allKinds)(d.ctx, o.Inbox)
		d.wait(2 * time.Second)
		d.typeText("Ann")
		d.sees("Ann▏")
		d.wait(5 * time.Second)
		d.press("ctrl+c") // does not ask for a second key, as esc does
		d.seesNot("Who are you?")
	})
}
