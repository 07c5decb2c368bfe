package tape

import (
	"cmp"
	"slices"
	"time"

	"github.com/aloudchat/aloud/provider/event"
)

var kinds = map[event.LapKind]Kind{
	event.LapLoad: Load, event.LapRead: Read, event.LapWrite: Write, event.LapTool: Tool,
}

// Of returns the tape of a turn that has ended. Laps of earlier versions have no start: they are laid end to end.
func Of(r event.Result) Tape {
	laps := r.Timing.Steps
	placed := slices.ContainsFunc(laps, func(l event.Lap) bool { return l.StartMS > 0 })
	t := Tape{Ended: EndingOf(r.Stop.Reason)}
	end := time.Duration(0)
	for _, l := range laps {
		s := Span{Kind: Write, Title: l.Title, Tokens: l.Tokens, Status: l.Status}
		if kind, ok := kinds[l.Kind]; ok {
			s.Kind = kind
		} else {
			s.Title = Summary
			if !placed {
				continue // its read and write came before it
			}
		}
		s.Start, s.Length = end, Milliseconds(l.MS)
		if placed {
			s.Start = Milliseconds(l.StartMS)
		}
		end = max(end, s.End())
		t.Spans = append(t.Spans, s)
	}
	t.Now = end
	slices.SortStableFunc(t.Spans, func(a, b Span) int { return cmp.Compare(a.Start, b.Start) })
	return t
}

// Milliseconds converts a number from a file, which may be wrong: a day is the most.
func Milliseconds(n int64) time.Duration {
	const day = 24 * time.Hour
	return time.Duration(min(max(n, 0), day.Milliseconds())) * time.Millisecond
}
