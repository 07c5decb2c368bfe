package loop_test

import (
	"strings"
	"testing"
	"time"

	"github.com/charmbracelet/x/ansi"

	"github.com/aloudchat/aloud/provider/event"
	"github.com/aloudchat/aloud/status"
)

// rules checks what always holds for the status line.
type rules struct {
	t      *testing.T
	played *played
	met    map[status.Phase]bool

	ran      time.Duration // the turn's time by the test's own clock, paused like the one in the line
	looked   time.Time     // when the line was last read
	running  bool
	elapsed  time.Duration // the turn's time when last read
	expected time.Duration // of this step, as first shown

	called   bool   // a tool was called
	failed   bool   // the last finished call failed
	finished bool   // a call finished since the last request
	must     string // the kind of event that must come next, or ""
}

func newRules(t *testing.T, r *played) *rules {
	return &rules{t: t, played: r, met: map[status.Phase]bool{status.Idle: true}, looked: time.Now()}
}

// change is called with every new state of the line.
func (r *rules) change(before, after status.State, now time.Time) {
	r.met[after.Phase] = true
	r.hold(before, now)
	step := after.Phase != before.Phase || !after.Since.Equal(before.Since)
	switch {
	case after.Since.Before(before.Since):
		r.t.Errorf("the step's clock goes back from %v to %v: %+v", before.Since, after.Since, after)
	case step:
		r.expected = after.Expected
		r.comesAfter(after.Phase)
	case after.Expected != r.expected && after.Expected != 0:
		r.t.Errorf("%q was announced with %v and now with %v", after.Words(), r.expected, after.Expected)
	}
	if !r.running && r.ran == 0 && r.elapsed == 0 {
		r.ran = after.Worked // the clock may start before the line is first drawn
	}
	r.running = !after.Paused && !after.At.IsZero()
	r.hold(after, now)
}

// hold checks a state at a point in time.
func (r *rules) hold(s status.State, now time.Time) {
	if r.running {
		r.ran += now.Sub(r.looked)
	}
	r.looked = now
	elapsed := s.Elapsed(now)
	switch {
	case s.Phase == status.Idle:
		return
	case elapsed < r.elapsed:
		r.t.Errorf("the turn's clock goes back from %v to %v: %+v", r.elapsed, elapsed, s)
	case elapsed != r.ran:
		r.t.Errorf("the turn's clock says %v, but while the line said that it ran %v went by: %+v", elapsed, r.ran, s)
	case s.Phase != status.Stopped && s.Paused != standsStill[s.Phase]:
		r.t.Errorf("in the phase %q the turn's clock stands still: %t", s.Phase, s.Paused)
	case s.Since.After(now):
		r.t.Errorf("the step's clock is negative: %+v at %v", s, now)
	}
	r.elapsed = elapsed
	line := s.Line(now, status.Drawing{Width: 120, Hint: "esc stops"})
	control := func(c rune) bool { return c < ' ' }
	if width := ansi.StringWidth(line); width > 120 || line == "" || strings.ContainsFunc(line, control) {
		r.t.Errorf("the line of %d cells is %q", width, line)
	}
}

// standsStill has the phases in which the clock is paused.
var standsStill = map[status.Phase]bool{
	status.Connecting: true, status.Loading: true, status.Approval: true, status.Compacting: true,
}

// happened is called with every event.
func (r *rules) happened(ev event.Event) {
	kind := ""
	switch e := ev.(type) {
	case event.ToolCalled:
		r.called = true
	case event.ToolFinished:
		r.finished, r.failed = true, e.Call.Status == event.CallError
	case event.Asked:
		kind = "asked"
	case event.Ended:
		kind = "ended"
	}
	if r.must != "" && kind != r.must {
		r.t.Errorf("%#v comes where the line has said that %q is next", ev, r.must)
	}
	r.must = ""
}

// comesAfter checks that the event for a phase has happened.
func (r *rules) comesAfter(phase status.Phase) {
	f := r.played.server.facts()
	happened := map[status.Phase]bool{
		status.Loading:     !f.inMemory,
		status.Reading:     f.inMemory && !f.loading && (f.over || !f.thinking && !f.text && !f.calls),
		status.Thinking:    f.thinking,
		status.Formulating: f.text,
		status.Selecting:   f.calls || f.text, // a call may be written as text
		status.UsingTool:   r.called,
		status.Processing:  r.finished,
		status.ToolFailed:  r.failed,
		status.Approval:    r.called,
		status.Retrying:    f.broke,
	}
	if did, told := happened[phase]; told && !did {
		r.t.Errorf("the phase %q comes before what it tells: %+v", phase, f)
	}
	switch phase {
	case status.Approval:
		r.must = "asked"
	case status.Stopped:
		r.must = "ended"
	case status.Processing, status.ToolFailed:
		r.finished = false
	}
}

// ended is called at the end of the turn.
func (r *rules) ended(e event.Ended) {
	if stopped := e.Result.Stop.Reason != event.Done; stopped != r.met[status.Stopped] {
		r.t.Errorf("the turn ended as %q, but the line said stopped: %t", e.Result.Stop.Reason, r.met[status.Stopped])
	}
	if r.met[status.Compacting] && !r.played.server.facts().summary {
		r.t.Error("the line said that the conversation is compacted, but nobody asked for a summary")
	}
	if total := time.Duration(e.Result.Timing.Total) * time.Millisecond; r.elapsed > total {
		r.t.Errorf("the turn's clock says %v of a turn that took %v", r.elapsed, total)
	}
}
