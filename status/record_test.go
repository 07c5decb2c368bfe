package status_test

import (
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/aloudchat/aloud/provider/event"
	"github.com/aloudchat/aloud/status"
	"github.com/aloudchat/aloud/status/tape"
)

// record observes events that come a second after each other, by a clock that stands still after an event.Asked. It
// returns the last state, and the spans at its time.
func record(t *testing.T, events ...event.Event) (last status.State, spans string) {
	t.Helper()
	var turn time.Duration
	began := time.Now()
	at := func() time.Time { return began.Add(turn) }
	o := &status.Observer{
		Clock: func() event.Clock { return event.Clock{At: at(), Turn: turn, Worked: turn} },
		Show:  func(s status.State) { last = s },
	}
	o.Observe(t.Context(), event.Began{Model: "m", Rounds: 10})
	for _, ev := range events {
		o.Observe(t.Context(), ev)
		if _, asked := ev.(event.Asked); !asked {
			turn += time.Second
		}
	}
	var all []string
	for _, s := range last.TapeAt(at()).Spans {
		all = append(all, fmt.Sprintf("%s %.0f+%.0f", s.Name(), s.Start.Seconds(), s.Length.Seconds()))
	}
	return last, strings.Join(all, ", ")
}

func TestTapeHasWhatWasObserved(t *testing.T) {
	ask, text := event.Requesting{Attempt: 1, Attempts: 1}, event.Text{Delta: "Yes."}
	user := event.ToolCall{ID: "1", Title: "Find User", Server: "shop", Status: event.CallOK}
	file := event.ToolCall{ID: "2", Title: "Read File", BuiltIn: true, Status: event.CallError}
	for name, c := range map[string]struct {
		events []event.Event
		want   string
	}{
		"a turn": {[]event.Event{ask, event.Loading{}, event.Reading{Tokens: 900}, event.Thinking{Delta: "Hm."},
			event.Calling{}, event.Running{Calls: []event.ToolCall{user}}, event.ToolFinished{Call: user}, ask, text},
			"load 1+1, read 2+1, think 3+1, write 4+1, Find User 5+1, write 8+1"},
		"calls at the same time": {[]event.Event{event.Running{Calls: []event.ToolCall{user, file}},
			event.ToolFinished{Call: user}, event.Running{Calls: []event.ToolCall{file}}, event.ToolFinished{Call: file}, ask},
			"Find User 0+1, Read File 0+3"},
		"an answer after a call is one piece of work": {[]event.Event{text, event.Calling{}, text}, "write 0+3"},
		"an approval counts no time": {[]event.Event{event.Calling{}, event.Asked{Call: user},
			event.Running{Calls: []event.ToolCall{user}}}, "write 0+1, wait 1+0, Find User 1+1"},
		"a busy server":              {[]event.Event{ask, event.Overloaded{}, text}, "retry 1+1, write 2+1"},
		"a call that did not run":    {[]event.Event{text, event.ToolFinished{Call: user}}, "write 0+2"},
		"nothing but a request":      {[]event.Event{ask}, ""},
		"a summary has its own name": {[]event.Event{event.Compacting{}, event.Compacting{Tokens: 1}}, "summary 0+2"},
	} {
		if _, got := record(t, c.events...); got != c.want {
			t.Errorf("%s: the tape has %q, not %q", name, got, c.want)
		}
	}
}

func TestTapeExpectsOnlyWhatIsKnown(t *testing.T) {
	last, _ := record(t, event.Loading{Expected: 9 * time.Second})
	if e := last.Tape.Expected; e.Kind != tape.Load || e.Length != 9*time.Second {
		t.Errorf("during a load of about 9 s, the tape expects %v", e)
	}
	last, _ = record(t, event.Loading{Expected: 9 * time.Second}, event.Text{Delta: "Yes."})
	if last.Tape.Expected.Length != 0 {
		t.Errorf("while the model writes, the tape expects %v", last.Tape.Expected)
	}
}

// A turn may have thousands of calls.
func TestTapeIsBounded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var events []event.Event
		for i := range 1000 {
			call := event.ToolCall{ID: fmt.Sprint(i), Title: "Read File"}
			events = append(events, event.Running{Calls: []event.ToolCall{call}}, event.ToolFinished{Call: call})
		}
		last, _ := record(t, append(events, event.Text{Delta: "Yes."})...)
		if n := len(last.Tape.Spans); n != 200 {
			t.Errorf("the tape has %d spans", n)
		}
		if s := last.Tape.Spans[199]; s.Kind != tape.Write || !s.Running {
			t.Errorf("the last span is %v", s)
		}
	})
}
