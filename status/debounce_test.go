package status_test

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/aloudchat/aloud/status"
)

// step is a step of a turn and how long it lasts, in milliseconds.
type step struct {
	phase status.Phase
	lasts int
}

// frame is a state that is drawn, in milliseconds from the beginning of the turn.
type frame struct {
	state      status.State
	from, till int
}

// draw draws the steps one after the other, and looks at every change and at every time that is due.
func draw(steps ...step) (frames []frame) {
	var c status.Debouncer
	at := 0
	now := func() time.Time { return noon.Add(time.Duration(at) * time.Millisecond) }
	look := func() {
		s := c.At(now())
		if n := len(frames); n > 0 {
			if frames[n-1].till = at; frames[n-1].state.Phase == s.Phase && frames[n-1].state.Since.Equal(s.Since) {
				return
			}
		}
		frames = append(frames, frame{state: s, from: at})
	}
	for i, s := range steps {
		c.Set(status.State{Phase: s.phase, Since: now(), Round: i}, now())
		look()
		for end := at + s.lasts; at < end; look() {
			due := int(c.Due().Sub(noon).Milliseconds())
			if c.Due().IsZero() || due > end {
				due = end
			}
			at = max(due, at)
			if due == end {
				break
			}
		}
	}
	look()
	return frames
}

func TestShortStepsAreNotDrawn(t *testing.T) {
	const idle, asks = status.Idle, status.Approval
	const analyzing, reading, thinking, selecting = status.Analyzing, status.Reading, status.Thinking, status.Selecting
	for name, test := range map[string]struct {
		steps []step
		want  string
	}{
		"a step that lasts":   {[]step{{analyzing, 2000}, {idle, 0}}, "0 , 150 analyzing, 2000 "},
		"a step that is over": {[]step{{analyzing, 140}, {idle, 0}}, "0 , 140 "},
		"four in 0.4 s": {[]step{{analyzing, 1000}, {reading, 40}, {thinking, 140}, {selecting, 100}, {reading, 100},
			{thinking, 500}, {idle, 0}}, "0 , 150 analyzing, 1530 thinking, 1880 "},
		"a step stays": {[]step{{analyzing, 200}, {thinking, 2000}, {idle, 0}}, "0 , 150 analyzing, 450 thinking, 2200 "},
		"a request": {[]step{{analyzing, 200}, {asks, 100}, {thinking, 1000}, {idle, 0}},
			"0 , 150 analyzing, 200 approval, 300 thinking, 1300 "},
		"a stop":  {[]step{{analyzing, 200}, {status.Stopped, 1000}}, "0 , 150 analyzing, 200 stopped"},
		"the end": {[]step{{analyzing, 160}, {thinking, 100}, {idle, 1000}}, "0 , 150 analyzing, 260 "},
		"many short steps": {[]step{{analyzing, 1000}, {reading, 140}, {thinking, 140}, {reading, 140}, {thinking, 140},
			{reading, 140}, {thinking, 140}, {reading, 140}, {thinking, 140}, {selecting, 140}, {idle, 0}},
			"0 , 150 analyzing, 2000 thinking, 2260 "},
	} {
		var got []string
		for _, f := range draw(test.steps...) {
			got = append(got, fmt.Sprintf("%d %s", f.from, f.state.Phase))
		}
		if s := strings.Join(got, ", "); s != test.want {
			t.Errorf("%s: %q, not %q", name, s, test.want)
		}
	}
}

// A step is drawn for 300 ms unless it gives way to a request or the end, and at most until a second after its end.
func TestDrawnStepStays(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 5)) // the same steps in each run
	for range 2000 {
		steps := make([]step, 10)
		ends := make([]int, len(steps))
		at := 0
		for i := range steps {
			steps[i] = step{phases[r.IntN(len(phases)-1)], 1 + r.IntN([]int{60, 400, 2000}[r.IntN(3)])}
			at += steps[i].lasts
			ends[i] = at
		}
		frames := draw(append(steps, step{status.Idle, 1000})...)
		for i, f := range frames {
			if f.state.Phase == status.Idle || i == 0 {
				continue
			}
			next := frames[i+1].state.Phase
			if f.till-f.from < 300 && next != status.Approval && next != status.Idle && f.state.Phase != status.Approval {
				t.Fatalf("%v\n%s is drawn for %d ms", steps, f.state.Phase, f.till-f.from)
			}
			before := frames[i-1].state
			if steps[f.state.Round].lasts < 150 && f.state.Phase != status.Approval && before.Phase != status.Approval &&
				f.from != ends[before.Round]+1000 {
				t.Fatalf("%v\n%s lasts %d ms and is drawn", steps, f.state.Phase, steps[f.state.Round].lasts)
			}
			if end := ends[f.state.Round]; f.till > end+1000 || f.from >= end {
				t.Fatalf("%v\n%s ends at %d and is drawn from %d to %d", steps, f.state.Phase, end, f.from, f.till)
			}
		}
		if last := frames[len(frames)-1]; last.state.Phase != status.Idle || last.from != at {
			t.Fatalf("%v\nends at %d, and %q is drawn from %d on", steps, at, last.state.Phase, last.from)
		}
	}
}
