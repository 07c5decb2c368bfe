package ui

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/aloudchat/aloud/provider/event"
	"github.com/aloudchat/aloud/status"
)

// ticks lets a minute pass and returns the number of ticks.
func (d *driver) ticks() int {
	n := 0
	d.watch(time.Minute, func(msg tea.Msg) {
		if _, ok := msg.(tickMsg); ok {
			n++
		}
	})
	return n
}

// step runs a turn with one step that takes an hour and writes nothing.
func (d *driver) step(s status.State) {
	s.Since, s.At = time.Now(), time.Now()
	d.turn(s, time.Hour)
}

func TestClockTicksOnChange(t *testing.T) {
	for _, c := range []struct {
		name        string
		motion      status.Motion
		prepare     func(d *driver)
		state       status.State
		least, most int // in a minute
	}{
		{"all", "", nil, status.State{Phase: status.UsingTool}, 235, 245},
		{"no spinner", status.MotionReduced, nil, status.State{Phase: status.UsingTool}, 59, 61},
		{"nothing", status.MotionNone, nil, status.State{Phase: status.UsingTool}, 0, 0},
		{"nothing but the word that nothing comes", status.MotionNone, nil, status.State{Phase: status.Formulating,
			Heard: time.Now()}, 0, 1},
		{"nobody looks", status.MotionFull, func(d *driver) { d.send(tea.BlurMsg{}) }, status.State{Phase: status.UsingTool},
			0, 0},
		{"somebody looks again", status.MotionFull, func(d *driver) { d.send(tea.BlurMsg{}); d.send(tea.FocusMsg{}) },
			status.State{Phase: status.UsingTool}, 235, 245},
		{"a person is asked", status.MotionFull, nil, status.State{Phase: status.Approval}, 59, 61},
		{"no room for the row", status.MotionFull, func(d *driver) { d.send(tea.WindowSizeMsg{Width: 80, Height: 2}) },
			status.State{Phase: status.UsingTool}, 0, 0},
		{"it is stopped", status.MotionFull, nil, status.State{Phase: status.Stopped}, 0, 0},
	} {
		o := with(says())
		o.Motion = c.motion
		drive(t, 80, 24, o, func(d *driver) {
			if n := d.ticks(); n > 0 {
				t.Errorf("%s: the clock strikes %d times while idle", c.name, n)
			}
			if c.prepare != nil {
				c.prepare(d)
			}
			if !c.state.Heard.IsZero() {
				c.state.Heard = time.Now()
			}
			d.m.View()
			d.step(c.state)
			if n := d.ticks(); n < c.least || n > c.most {
				t.Errorf("%s: the clock strikes %d times a minute, which is not %d to %d", c.name, n, c.least, c.most)
			}
			d.m.talk.turn.cancel()
			d.wait(time.Second)
			if n := d.ticks(); n > 0 {
				t.Errorf("%s: the clock strikes %d times after the turn", c.name, n)
			}
		})
	}
}

// Without focus the status row does not move but stays correct. Some terminals report when they lose the focus, but not
// when they get it back.
func TestStatusRowWithoutFocus(t *testing.T) {
	for name, back := range map[string]tea.Msg{
		"the focus": tea.FocusMsg{}, "a key": tea.KeyPressMsg{Code: 'a', Text: "a"}, "a paste": tea.PasteMsg{Content: "a"},
		"the wheel": tea.MouseWheelMsg{Button: tea.MouseWheelUp}, "a click": tea.MouseClickMsg{Button: tea.MouseLeft},
		"the way back from the shell": tea.ResumeMsg{},
	} {
		drive(t, 80, 24, with(says()), func(d *driver) {
			began := time.Now()
			d.step(status.State{Phase: status.UsingTool, Text: "Using Read File…"})
			d.wait(4500 * time.Millisecond)
			d.sees("Using Read File… · 4s · esc stops")
			d.send(tea.BlurMsg{})
			away := d.screen()
			d.sees(still + " Using Read File… · since " + began.Format(time.TimeOnly) + " · esc stops")
			d.wait(time.Minute)
			if now := d.screen(); now != away {
				t.Errorf("it went on:\n%s", now)
			}
			d.send(back)
			if s := d.screen(); !strings.Contains(s, "Using Read File… · 1m04s · esc stops") || strings.Contains(s, still) {
				t.Errorf("%s: the row does not run:\n%s", name, s)
			}
		})
	}
}

func TestSilenceWithoutMotion(t *testing.T) {
	o := with(says())
	o.Motion = status.MotionNone
	drive(t, 80, 24, o, func(d *driver) {
		heard := time.Now()
		d.step(status.State{Phase: status.Formulating, Heard: heard})
		d.wait(9 * time.Second)
		d.seesNot("no output")
		d.wait(2 * time.Second)
		d.sees("no output since " + heard.Format(time.TimeOnly))
	})
}

// Counts that change with every chunk are drawn once a second. Texts are drawn when they change.
func TestCountsOncePerSecond(t *testing.T) {
	drive(t, 100, 24, with(says()), func(d *driver) {
		now := time.Now()
		s := status.State{Phase: status.Formulating, Since: now, At: now, Heard: now}
		script := []any{s}
		for range 20 {
			s.Tokens += 3
			script = append(script, 250*time.Millisecond, s)
		}
		s.Phase, s.Since = status.UsingTool, now.Add(5*time.Second)
		script = append(script, s, 14*time.Second)
		s.Heard = now.Add(19 * time.Second)
		script = append(script, s, time.Hour)
		lines, last := 0, line{}
		look := func(tea.Msg) {
			if d.m.status.line != last {
				lines, last = lines+1, d.m.status.line
			}
		}
		d.start(script...)
		d.watch(4900*time.Millisecond, look)
		if lines < 5 || lines > 6 {
			t.Errorf("in five seconds the line was drawn %d times", lines)
		}
		d.wait(300 * time.Millisecond)
		d.sees("Using a tool… · 0s")
		d.wait(12850 * time.Millisecond)
		d.sees("no output for 18s", "esc stops")
		d.wait(2 * time.Second)
		d.seesNot("no output")
	})
}

// Steps that end at once are not drawn, and a drawn step stays for a while. Its clock starts at its real beginning.
func TestShortStepsAreNotDrawn(t *testing.T) {
	const ms = time.Millisecond
	drive(t, 100, 24, with(says()), func(d *driver) {
		began := time.Now()
		var drawn []string
		last := ""
		look := func(tea.Msg) {
			if words, _, _ := strings.Cut(d.m.status.line.before, " · "); words != last {
				drawn = append(drawn, fmt.Sprint(time.Since(began), " ", words))
				last = words
			}
		}
		var script []any
		for _, s := range []struct {
			phase status.Phase
			lasts time.Duration
		}{
			{status.Analyzing, 400 * ms}, {status.Reading, 40 * ms}, {status.Thinking, 140 * ms}, {status.Selecting, 100 * ms},
			{status.UsingTool, 960 * ms}, {status.Processing, 160 * ms}, {status.Approval, 10 * ms},
			{status.UsingTool, 5000 * ms},
		} {
			script = append(script, func() status.State { return status.State{Phase: s.phase, Since: time.Now()} }, s.lasts)
		}
		d.start(append(script, event.Ended{}, time.Hour)...)
		d.watch(2680*ms, look)
		d.sees("Using a tool… · 0s")
		d.watch(140*ms, look)
		d.sees("Using a tool… · 1s")
		d.watch(4300*ms, look)
		want := []string{
			"150ms Analyzing request…", "830ms Using a tool…", "1.79s Processing tool results…",
			"1.8s Waiting for your approval", "1.833s Using a tool…", "6.81s Stopped",
		}
		if !slices.Equal(drawn, want) {
			t.Errorf("the row shows %q, not %q", drawn, want)
		}
		if n := d.ticks(); n > 0 {
			t.Errorf("the clock strikes %d times after the end", n)
		}
	})
}
