package ui

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/aloudchat/aloud/provider/event"
	"github.com/aloudchat/aloud/session/live"
	"github.com/aloudchat/aloud/status"
)

// events returns a source of these events and states of the line, and a function that must be called with the turn of
// the source. A time.Duration lets time pass.
func events(script ...any) (begin source, show func(*turn)) {
	begun := make(chan *turn, 1)
	begin = func(ctx context.Context) event.Events {
		return func(yield func(event.Event, error) bool) {
			line := &status.Observer{Show: (<-begun).show}
			for _, step := range script {
				switch step := step.(type) {
				case func() status.State:
					line.Show(step())
				case status.State:
					line.Show(step)
				case time.Duration:
					select {
					case <-time.After(step):
					case <-ctx.Done():
						yield(event.Ended{Result: event.Result{Stop: event.Stop{Reason: event.Cancelled}}}, nil)
						return
					}
				case event.Event:
					line.Observe(ctx, step)
					if !yield(step, nil) {
						return
					}
				}
			}
		}
	}
	return begin, func(t *turn) { begun <- t }
}

// perform starts a turn of these events, which ctx or its cancel ends.
func perform(ctx context.Context, script ...any) *turn {
	begin, show := events(script...)
	chat := live.New(live.Parts{})
	t := newTurn(chat)
	ctx, t.cancel = context.WithCancel(ctx)
	show(t)
	go func() { t.put(t.pump(ctx, chat, begin)) }()
	return t
}

// batches reads all batches of a turn in a bubble, and returns the time and content of each. It joins what comes at the
// same time.
func batches(t *turn) []string {
	began := time.Now()
	var out []string
	for {
		msg := t.wait().(batchMsg)
		synctest.Wait()
		rest := t.take()
		msg.events = append(msg.events, rest.events...)
		if rest.state != nil {
			msg.state = rest.state
		}
		var words []string
		if msg.state != nil {
			words = append(words, string(msg.state.Phase))
		}
		for _, ev := range msg.events {
			switch ev := ev.(type) {
			case event.Text:
				words = append(words, "text "+ev.Delta)
			case event.Thinking:
				words = append(words, "thought "+ev.Delta)
			case event.Notice:
				words = append(words, ev.Text)
			case event.Ended:
				words = append(words, "ended "+string(ev.Result.Stop.Reason))
			default:
				words = append(words, strings.TrimPrefix(fmt.Sprintf("%T", ev), "event."))
			}
			if _, ok := ev.(event.Ended); ok {
				return append(out, fmt.Sprint(time.Since(began), ": ", strings.Join(words, ", ")))
			}
		}
		out = append(out, fmt.Sprint(time.Since(began), ": ", strings.Join(words, ", ")))
	}
}

func TestBatches(t *testing.T) {
	const ms = time.Millisecond
	text := func(s string) event.Event { return event.Text{Delta: s} }
	phase := func(p status.Phase, tokens int) status.State { return status.State{Phase: p, Tokens: tokens} }
	synctest.Test(t, func(t *testing.T) {
		got := batches(perform(t.Context(),
			phase(status.Formulating, 0), 100*ms,
			text("a"), 10*ms, phase(status.Formulating, 1), text("b"), 10*ms, phase(status.Formulating, 2), text("c"), 10*ms,
			text("d"), 10*ms, text("e"),
			event.Thinking{Delta: "f", Again: true}, event.Thinking{Delta: "g", Again: true}, 100*ms,
			text("h"), 5*ms, text("i"), event.ToolCalled{}, text("j"), 5*ms,
			event.Ended{Result: event.Result{Stop: event.Stop{Reason: event.Done}}},
		))
		want := []string{
			"0s: formulating",
			"100ms: formulating, text a",
			"133ms: formulating, text bcd",
			"166ms: formulating, text e, thought fg",
			"240ms: formulating, text h",
			"245ms: formulating, text i, ToolCalled, text j",
			"250ms: ended done",
		}
		if !slices.Equal(got, want) {
			t.Errorf("the batches are\n%s\nnot\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
		}
	})
}

// played returns all events of a turn that plays a script and is cancelled after a minute.
func played(t *testing.T, script ...any) (all []event.Event) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		turn := perform(t.Context(), script...)
		time.AfterFunc(time.Minute, turn.cancel)
		for ended := false; !ended; {
			for _, ev := range turn.wait().(batchMsg).events {
				all = append(all, ev)
				_, ended = ev.(event.Ended)
			}
		}
	})
	return all
}

func TestEveryPieceArrives(t *testing.T) {
	var script []any
	var want, got strings.Builder
	for i := range 5000 {
		piece := fmt.Sprint(i, " ")
		want.WriteString(piece)
		script = append(script, event.Text{Delta: piece}, time.Duration(i%7)*time.Millisecond)
	}
	for _, ev := range played(t, append(script, event.Ended{})...) {
		if text, ok := ev.(event.Text); ok {
			got.WriteString(text.Delta)
		}
	}
	if got.String() != want.String() {
		t.Errorf("%d bytes arrived of %d", got.Len(), want.Len())
	}
}

func TestTurnAlwaysEnds(t *testing.T) {
	for want, script := range map[string][]any{
		"ended error internal error, please report it: the turn ended without a result": {event.Appended{}},
		"ended cancelled": {event.Appended{}, time.Hour},
	} {
		all := played(t, script...)
		last := all[len(all)-1].(event.Ended)
		if got := fmt.Sprintf("ended %s %v", last.Result.Stop.Reason, last.Err); !strings.HasPrefix(got, want) {
			t.Errorf("%s, not %s", got, want)
		}
	}
	synctest.Test(t, func(t *testing.T) { // also while the turn waits for an answer
		turn := perform(t.Context(), event.Asked{}, event.Ended{})
		synctest.Wait()
		turn.cancel()
	})
}
