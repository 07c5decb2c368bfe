package status

import (
	"time"

	"github.com/aloudchat/aloud/status/tape"
)

var kinds = map[Phase]tape.Kind{
	Loading: tape.Load, Reading: tape.Read, Thinking: tape.Think, Selecting: tape.Write, Formulating: tape.Write,
	Compacting: tape.Write, Retrying: tape.Retry,
}

// record records on the tape that a step begins. In the phases that are not work of a kind, such as Analyzing, nothing
// was observed but that time passes.
func (o *Observer) record(phase Phase, expected time.Duration) {
	kind, works := kinds[phase]
	now := o.clock().Turn
	switch {
	case works:
		s := tape.Span{Kind: kind}
		if phase == Compacting {
			s.Title = tape.Summary
		}
		o.recorder.Begin(now, s, expected)
	case phase == Approval:
		o.recorder.Ask(now)
	case phase == UsingTool: // see run
		return
	default:
		o.recorder.Pause(now)
	}
	o.state.Tape = nil
}

// TapeAt returns the tape at now. It does not grow while you are asked.
func (s State) TapeAt(now time.Time) tape.Tape {
	switch {
	case s.Tape == nil:
		return tape.Tape{}
	case s.Phase == Approval || s.At.IsZero():
		return s.Tape.Until(s.Turn)
	}
	return s.Tape.Until(s.Turn + max(now.Sub(s.At), 0))
}
