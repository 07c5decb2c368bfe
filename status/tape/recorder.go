package tape

import (
	"slices"
	"time"

	"github.com/aloudchat/aloud/provider/event"
)

// most is the maximum number of recorded spans. A row rarely has so many cells.
const most = 200

// Recorder makes the tape of a turn while it runs. The zero value is ready to use.
type Recorder struct{ tape Tape }

// Begin records that the model, or its server, begins some work, which is likely to take expected in all; 0 if unknown.
// It ends the work before, unless that is the same.
func (r *Recorder) Begin(now time.Duration, s Span, expected time.Duration) {
	i := r.work()
	if same := i >= 0 && r.tape.Spans[i].Kind == s.Kind && r.tape.Spans[i].Title == s.Title; !same {
		r.Pause(now)
		s.Start = now
		r.add(s)
	}
	r.tape.Expected = Span{Kind: s.Kind, Start: now, Length: expected}
}

// Pause records that the model's work has ended, and that nothing else is known to have begun.
func (r *Recorder) Pause(now time.Duration) {
	r.tape.Expected = Span{}
	if i := r.work(); i >= 0 {
		r.end(i, now)
	}
}

// work returns the index of what the model does, or -1.
func (r *Recorder) work() int {
	return slices.IndexFunc(r.tape.Spans, func(s Span) bool { return s.Running && s.Kind != Tool })
}

// Call records that a tool begins.
func (r *Recorder) Call(now time.Duration, c event.ToolCall) {
	if r.running(c.ID) < 0 {
		r.Pause(now)
		r.add(Span{Kind: Tool, Title: c.Title, Start: now, call: c.ID})
	}
}

// Finish records that a tool has ended. Calls that did not run are ignored.
func (r *Recorder) Finish(now time.Duration, c event.ToolCall) {
	if i := r.running(c.ID); i >= 0 {
		r.tape.Spans[i].Status = c.Status
		r.end(i, now)
	}
}

// running returns the index of a call that runs, or -1.
func (r *Recorder) running(call string) int {
	return slices.IndexFunc(r.tape.Spans, func(s Span) bool { return s.Running && s.Kind == Tool && s.call == call })
}

// Ask records that you are asked. Tools go on.
func (r *Recorder) Ask(now time.Duration) {
	r.Pause(now)
	if n := len(r.tape.Spans); n == 0 || r.tape.Spans[n-1] != (Span{Kind: Wait, Start: now}) {
		r.add(Span{Kind: Wait, Start: now})
	}
}

// Tape returns the tape up to now.
func (r *Recorder) Tape(now time.Duration) *Tape {
	t := r.tape
	t.Spans = slices.Clone(t.Spans)
	t = t.Until(now)
	return &t
}

// add adds a span that runs. If there are too many, the shortest that has ended is left out.
func (r *Recorder) add(s Span) {
	spans := &r.tape.Spans
	if len(*spans) >= most {
		shortest := -1
		for i, o := range *spans {
			if !o.Running && (shortest < 0 || o.Length < (*spans)[shortest].Length) {
				shortest = i
			}
		}
		if shortest >= 0 {
			*spans = slices.Delete(*spans, shortest, shortest+1)
		}
	}
	s.Running = s.Kind != Wait
	*spans = append(*spans, s)
}

func (r *Recorder) end(i int, now time.Duration) {
	s := &r.tape.Spans[i]
	s.Running, s.Length = false, max(0, now-s.Start)
}
