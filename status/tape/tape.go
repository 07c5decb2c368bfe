// Package tape is the time axis of a turn: what was done, when and for how long. It draws the axis as cells, with one
// glyph for each kind of work.
package tape

import (
	"slices"
	"time"

	"github.com/aloudchat/aloud/provider/event"
)

// Kind is a kind of work.
type Kind int

// The kinds of work, and Wait for the moments at which you were asked.
const (
	Load  Kind = iota // the server loads the model
	Read              // the model reads the prompt
	Think             // the model thinks
	Write             // the model writes an answer, a call or a summary
	Tool
	Retry // the request is sent again, or the server is busy
	Wait  // you are asked, which counts no time
)

// Summary is the title of a Write of a summary.
const Summary = "summary"

var (
	glyphs = [...]string{Load: "━", Read: "┅", Think: "─", Write: "═", Tool: "▓", Retry: "╳", Wait: " "}
	words  = [...]string{Load: "load", Read: "read", Think: "think", Write: "write", Tool: "tool", Retry: "retry",
		Wait: "wait"}
)

// Glyph returns the character of the kind, which has one cell.
func (k Kind) Glyph() string { return glyphs[k] }

// String returns the word for the kind: "load".
func (k Kind) String() string { return words[k] }

// Span is one piece of work. Its times count from the beginning of the turn, without the time in which you were asked
// and in which the program was suspended.
type Span struct {
	Kind          Kind
	Title         string // of a tool, "Find User", or "summary"; not sanitised
	Start, Length time.Duration
	Running       bool             // it has not ended
	Tokens        int              // read or written; 0 if unknown
	Status        event.CallStatus // of a tool

	call string // the ID of a tool's call, while it runs
}

// End returns when the span ended.
func (s Span) End() time.Duration { return s.Start + s.Length }

// Name returns the title, or else the word for the kind.
func (s Span) Name() string {
	if s.Title != "" {
		return s.Title
	}
	return s.Kind.String()
}

// Ending is how a turn ended.
type Ending int

// The endings.
const (
	Running Ending = iota // it has not ended
	Done
	Limit // by a limit, or you stopped it
	Failed
)

// EndingOf returns the ending for the reason of a stop.
func EndingOf(r event.Reason) Ending {
	switch r {
	case event.Done:
		return Done
	case event.Failed:
		return Failed
	}
	return Limit
}

// Tape has the spans of a turn. It is a value: a Tape that was handed out does not change.
type Tape struct {
	Spans    []Span // in the order in which they started
	Now      time.Duration
	Expected Span // what earlier runs make likely; only the part after Now is drawn
	Ended    Ending
}

// Until returns the tape at a later time, if nothing else began or ended.
func (t Tape) Until(now time.Duration) Tape {
	if t.Ended != Running || now <= t.Now {
		return t
	}
	t.Now, t.Spans = now, slices.Clone(t.Spans)
	for i, s := range t.Spans {
		if s.Running {
			t.Spans[i].Length = now - s.Start
		}
	}
	return t
}

// End returns the tape of a turn that has ended.
func (t Tape) End(how Ending) Tape {
	t.Expected, t.Ended = Span{}, how
	return t
}

// left returns how much longer the work is likely to take, or 0 if unknown.
func (t Tape) left() time.Duration { return max(0, t.Expected.End()-t.Now) }
