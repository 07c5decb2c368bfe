package ui

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/aloudchat/aloud/provider"
	"github.com/aloudchat/aloud/provider/providertest"
	"github.com/aloudchat/aloud/status"
)

const (
	syncReport = "\x1b[?2026;2$y" // the terminal supports synchronized output
	blur       = "\x1b[O"
	focus      = "\x1b[I"
)

// aTool is a chat whose first turn writes text and then uses a tool for an hour.
func aTool(motion status.Motion, said string) Options {
	o := with(says(append(chunks(0, said), calls("files__read_file", `{"path":"notes.txt"}`)...)))
	o.Tools.(*toolbox).takes = time.Hour
	o.Motion, o.Title, o.Notify = motion, true, true
	return o
}

// leave ends the program.
func (t *terminal) leave() {
	t.types("/quit" + enter).wait(time.Second)
}

// mostIn returns the most bytes written in one of these seconds, and the average per second.
func (t *terminal) mostIn(seconds int) (most, mean int) {
	began := t.bytes()
	for range seconds {
		before := t.bytes()
		t.wait(time.Second)
		most = max(most, t.bytes()-before)
	}
	return most, (t.bytes() - began) / seconds
}

// The bytes written per second while only the status row changes: the same with twenty rows of wide Chinese text on the
// screen.
func TestBytesOfASecond(t *testing.T) {
	const ascii = "Let me look."
	chinese := strings.Repeat("- 这是一行中文，说明今天的天气和许多别的事情。\n", 20)
	for _, c := range []struct {
		name       string
		motion     status.Motion
		said       string
		keys       string
		most, mean int
	}{
		{"full", status.MotionFull, ascii, "", 739, 459},
		{"full, synchronized", status.MotionFull, ascii, syncReport, 739, 459},
		{"reduced", status.MotionReduced, ascii, "", 89, 49},
		{"reduced, synchronized", status.MotionReduced, ascii, syncReport, 89, 49},
		{"none", status.MotionNone, ascii, "", 0, 0},
		{"not looked at", status.MotionFull, ascii, blur, 0, 0},
		{"Chinese", status.MotionFull, chinese, "", 739, 459},
		{"Chinese, synchronized", status.MotionFull, chinese, syncReport, 739, 459},
		{"Chinese, reduced", status.MotionReduced, chinese, "", 89, 49},
		{"Chinese, not looked at", status.MotionFull, chinese, blur, 0, 0},
	} {
		for _, size := range [][2]int{{80, 24}, {200, 60}} {
			program(t, size[0], size[1], aTool(c.motion, c.said), func(term *terminal) {
				term.types(c.keys).wait(time.Second)
				if n, _ := term.mostIn(2); n > 0 {
					t.Errorf("%s, %v: an idle second is %d bytes", c.name, size, n)
				}
				term.types("go" + enter + c.keys) // typing counts as focus, so the terminal reports its loss again
				term.wait(3500 * time.Millisecond)
				term.sees("Using Read File…")
				most, mean := term.mostIn(10)
				t.Logf("%s, %v: at most %d bytes a second, %d on average", c.name, size, most, mean)
				if most > c.most || mean > c.mean {
					t.Errorf("%s, %v: a busy second is %d bytes, mean %d; limits %d, %d", c.name, size, most, mean, c.most, c.mean)
				}
				if c.most > 0 && mean == 0 {
					t.Errorf("%s, %v: the clocks stand still", c.name, size)
				}
				term.leave()
			})
		}
	}
}

// wholeTurn is a chat whose turn passes through every phase, each for some seconds.
func wholeTurn() Options {
	call := providertest.Step{Calls: []provider.Call{{ID: "1", Name: "files__delete_file",
		Arguments: []byte(`{"path":"notes.txt"}`)}}}
	o := with(says(
		providertest.Reply{
			{Phase: provider.PhaseLoading}, {Wait: 5 * time.Second, Phase: provider.PhaseReading},
			{Wait: 5 * time.Second, Thinking: "Hm."}, {Wait: 5 * time.Second, Text: "Let me see."},
			{Wait: 5 * time.Second}, call,
		},
		append(chunks(5*time.Second, "That", " was it."), providertest.Step{Wait: 5 * time.Second}),
	))
	o.Chat.System = strings.Repeat("There is much to be read. ", 200)
	o.Tools.(*toolbox).takes = 12 * time.Second
	o.Title, o.Notify = true, true
	return o
}

// While only the status row and the tape change, only their rows are written, through a whole turn and after a resize.
// The row of a running tool has a clock too.
func TestOnlyTheStatusRowIsWritten(t *testing.T) {
	for _, keys := range []string{"", syncReport} {
		program(t, 80, 24, wholeTurn(), func(term *terminal) {
			term.types(keys)
			term.sees("› Ask anything")
			composer := term.row("› Ask anything")
			bar := func() int { return term.row("esc stops") }
			labels := 1
			quiet := func(phase string, clocks ...string) {
				t.Helper()
				term.sees(phase)
				if at := term.row("› "); at != composer {
					t.Errorf("%s: the composer went from row %d to %d", phase, composer, at)
				}
				term.written()
				term.wait(3 * time.Second)
				want := []int{bar(), bar() + 1, bar() + 2}[:2+labels] // with the tape and its labels
				for _, clock := range clocks {
					want = append([]int{term.row(clock)}, want...)
				}
				if rows := term.written(); !slices.Equal(rows, want) {
					t.Errorf("%s: the rows %v were written, and not %v", phase, rows, want)
				}
			}
			term.types("go" + enter).wait(400 * time.Millisecond)
			quiet("Loading")
			term.wait(1800 * time.Millisecond)
			quiet("Reading")
			term.wait(2 * time.Second)
			quiet("Thinking…")
			term.wait(2 * time.Second)
			quiet("Formulating")
			term.wait(7 * time.Second)
			term.sees("Allow this call?")
			term.written()
			term.wait(3 * time.Second)
			if rows := term.written(); !slices.Equal(rows, []int{term.row("Waiting for your approval")}) {
				t.Errorf("while a person is asked the rows %v were written", rows)
			}
			term.types("y").wait(300 * time.Millisecond)
			quiet("Using Delete File…", "◌ Delete File")
			term.resize(60, 20)
			composer, labels = term.row("› "), 0
			quiet("Using Delete File…", "◌ Delete File")
			term.wait(6 * time.Second)
			quiet("Processing tool results…")
			term.wait(2 * time.Second)
			quiet("Formulating")
			term.wait(10 * time.Second)
			term.sees("✓ 1 tool")
			if at := term.row("› Ask anything"); at != composer {
				t.Errorf("at the end the composer went from row %d to %d", composer, at)
			}
			if n, _ := term.mostIn(5); n > 0 {
				t.Errorf("after the turn a second is %d bytes", n)
			}
			term.leave()
		})
	}
}

// A tool that reports progress ten thousand times a second neither floods the terminal nor delays a key.
func TestFloodOfProgress(t *testing.T) {
	o := with(says())
	drive(t, 80, 24, o, func(d *driver) {
		var script []any
		for i := range 10_000 {
			s := status.State{Phase: status.UsingTool, Text: fmt.Sprintf("Index Repository · %d/10000", i), At: time.Unix(1, 0)}
			script = append(script, s, 100*time.Microsecond)
		}
		d.start(append(script, time.Hour)...)
		frames, before := 0, d.screen()
		seen := func(tea.Msg) {
			if now := d.screen(); now != before {
				frames, before = frames+1, now
			}
		}
		taken := d.watch(time.Second, seen)
		if frames > 15 || frames < 5 {
			t.Errorf("%d pictures were drawn in a second", frames)
		}
		if taken > 60 {
			t.Errorf("%d messages were taken in a second", taken)
		}
		d.press("x")
		d.sees("› x")
		d.wait(time.Second)
		d.sees("Index Repository · 9999/10000")
	})
}
