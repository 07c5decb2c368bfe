package ui

import (
	"os"
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/aloudchat/aloud/ui/screen"
)

const (
	ctrlZ    = "\x1a"
	enterAlt = "\x1b[?1049h"
	leaveAlt = "\x1b[?1049l"
)

// inAShell is a chat that was started by a shell. stop acts as the shell.
func inAShell(stop func() error) Options {
	o := with(says())
	o.Title = true
	o.shell = &screen.Shell{Alone: func() bool { return false }, Stop: stop}
	return o
}

// quit ends the program without keys, because a test terminal is still read while the program is stopped.
func (t *terminal) quit() {
	t.prog.Send(tea.Quit())
	t.wait(time.Second)
}

func TestSuspend(t *testing.T) {
	stops := 0
	o := inAShell(func() error { stops++; return nil })
	program(t, 80, 24, o, func(term *terminal) {
		for n := range 2 {
			away := term.since(func() {
				term.prog.Send(tea.KeyPressMsg{Code: 'z', Mod: tea.ModCtrl})
				term.wait(screen.Unheeded) // the reader of keys takes half of it
			})
			if stops != n+1 {
				t.Fatalf("it was stopped %d times, not %d", stops, n+1)
			}
			term.has(away, leaveAlt, "\x1b]2;\a")
			term.hasNot(away, enterAlt)
			back := term.since(func() {
				o.shell.Continued <- os.Interrupt
				term.wait(5 * time.Second)
			})
			term.has(back, enterAlt, "\x1b]2;aloud · ready\a")
			term.hasNot(back, leaveAlt) // the program itself took the terminal back
			term.sees("Ask anything")
		}
		term.quit()
	})
}

// The clocks leave out the time away as soon as the program continues.
func TestSuspendDuringToolCall(t *testing.T) {
	o := reading()
	o.Tools.(*toolbox).takes = time.Hour
	o.shell = inAShell(func() error { time.Sleep(30 * time.Second); return nil }).shell
	program(t, 80, 24, o, func(term *terminal) {
		term.types("go" + enter).wait(2100 * time.Millisecond)
		term.sees(callRow("◌ Read File     notes.txt", "2s", 80), "Using Read File… · 2s · ")
		term.prog.Send(tea.KeyPressMsg{Code: 'z', Mod: tea.ModCtrl})
		term.wait(30*time.Second + screen.Unheeded + 700*time.Millisecond) // the reader of keys takes half a second
		term.sees(callRow("◌ Read File     notes.txt", "2s", 80), "Using Read File… · 2s · ")
		term.wait(time.Second)
		term.sees(callRow("◌ Read File     notes.txt", "3s", 80), "Using Read File… · 3s · ")
		term.quit()
	})
}

// A stop may have no effect. Then no signal reports its end.
func TestSuspendWithoutEffect(t *testing.T) {
	o := inAShell(func() error { return nil })
	program(t, 80, 24, o, func(term *terminal) {
		term.has(term.since(func() {
			term.types(ctrlZ).wait(2 * screen.Unheeded)
		}), leaveAlt, enterAlt)
		term.sees("Ask anything")
		term.has(term.since(func() { // and a later signal is not used for this stop
			o.shell.Continued <- os.Interrupt
			term.wait(time.Second)
		}), leaveAlt, enterAlt)
		term.quit()
	})
}

func TestSuspendWithoutShell(t *testing.T) {
	alone := inAShell(func() error { t.Error("it was stopped"); return nil })
	alone.shell.Alone = func() bool { return true }
	for name, o := range map[string]Options{"no shell": with(says()), "nobody's job": alone} {
		drive(t, 80, 24, o, func(d *driver) {
			d.press("ctrl+z")
			if !strings.Contains(d.screen(), "No shell to return to") {
				t.Errorf("%s: the screen is\n%s", name, d.screen())
			}
		})
	}
}

func TestContinuedFromOutside(t *testing.T) {
	o := inAShell(nil)
	program(t, 80, 24, o, func(term *terminal) {
		for range 2 {
			term.has(term.since(func() {
				o.shell.Continued <- os.Interrupt
				term.wait(time.Second)
			}), leaveAlt, enterAlt)
			term.sees("Ask anything", "aloud 0.1.0")
		}
		term.quit()
	})
}
