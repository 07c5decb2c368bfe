package ui

import (
	"cmp"
	"context"
	"fmt"
	"strings"
	"sync"
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/aloudchat/aloud/provider"
	"github.com/aloudchat/aloud/provider/event"
	"github.com/aloudchat/aloud/session/live"
	"github.com/aloudchat/aloud/status"
)

// window is how long text is gathered before it is shown: thirty frames a second.
const window = 33 * time.Millisecond

// turn is one running turn. Its goroutine, the pump, ranges over the events, so that a slow screen does not delay the
// model and a fast model does not flood the screen. The screen reads batches of events with wait until Ended.
type turn struct {
	before int             // messages of the conversation when it began
	room   provider.Window // the context when it began

	run     func(context.Context) // runs the turn, once
	cancel  func()
	answers chan event.Decision
	ready   chan struct{} // has a token if there is a batch to read

	mu       sync.Mutex
	pending  []event.Event
	text     strings.Builder // text after the events, joined from consecutive pieces
	thinking bool            // the text is thinking
	state    *status.State   // the newest state, or nil if it was read
	taken    time.Time       // when the last batch was read
	timer    *time.Timer     // runs while text waits for the end of the window
}

// batchMsg has the events of a turn since the last batch.
type batchMsg struct {
	turn   *turn
	state  *status.State // the newest state, shown before the events; nil if unchanged
	events []event.Event
}

// source begins a turn of the chat: Send, Resume or Compact.
type source func(ctx context.Context) event.Events

func newTurn(chat *live.Chat) *turn {
	return &turn{
		before: chat.Conversation().Len(), room: chat.Settings().Window(),
		answers: make(chan event.Decision, 1), ready: make(chan struct{}, 1),
	}
}

// pump runs a turn. It passes on all events except the last, which it returns. After a panic the turn ends as failed,
// with the conversation so far.
func (t *turn) pump(ctx context.Context, chat *live.Chat, events source) (ended event.Ended) {
	fail := func(err error) event.Ended {
		return event.Ended{Conversation: chat.Conversation(), Err: err, Result: event.Result{Stop: event.FailedBy(err)}}
	}
	defer func() {
		if p := recover(); p != nil {
			ended = fail(fmt.Errorf("internal error, please report it: %v", p))
		}
	}()
	ended = fail(fmt.Errorf("internal error, please report it: the turn ended without a result"))
	for ev, failed := range events(ctx) {
		switch ev := ev.(type) {
		case event.Running: // the transcript shows how long calls run
		case event.Activity:
			continue
		case event.Ended:
			ended = ev
			ended.Err = cmp.Or(ev.Err, failed)
			continue
		}
		t.put(ev)
		if asked, ok := ev.(event.Asked); ok {
			t.await(ctx, asked)
		}
	}
	return ended
}

// await waits for your answer, or until the turn is cancelled.
func (t *turn) await(ctx context.Context, asked event.Asked) {
	select {
	case d := <-t.answers:
		asked.Answer(d)
	case <-ctx.Done():
	}
}

// answer answers the last request for approval.
func (t *turn) answer(d event.Decision) {
	select {
	case t.answers <- d:
	default: // already answered
	}
}

// put adds an event. Text waits until the end of the window after the last batch. Everything else is shown at once.
func (t *turn) put(ev event.Event) {
	t.mu.Lock()
	defer t.mu.Unlock()
	urgent := false
	switch ev := ev.(type) {
	case event.Text:
		t.gather(ev.Delta, false)
	case event.Thinking:
		t.gather(ev.Delta, true)
	default:
		t.flush()
		t.pending = append(t.pending, ev)
		urgent = true
	}
	t.announce(urgent)
}

// gather joins pieces of the same kind.
func (t *turn) gather(delta string, thinking bool) {
	if thinking != t.thinking {
		t.flush()
		t.thinking = thinking
	}
	t.text.WriteString(delta)
}

// flush adds the gathered text to the events.
func (t *turn) flush() {
	switch text := t.text.String(); {
	case text == "":
	case t.thinking:
		t.pending = append(t.pending, event.Thinking{Delta: text})
	default:
		t.pending = append(t.pending, event.Text{Delta: text})
	}
	t.text.Reset()
}

// show adds a state of the status line. It waits like text, because a tool may report progress thousands of times a
// second.
func (t *turn) show(s status.State) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.state = &s
	t.announce(false)
}

// announce wakes the screen, now or at the end of the window. t.mu must be held.
func (t *turn) announce(now bool) {
	since := time.Since(t.taken)
	if now || since >= window {
		t.signal()
	} else if t.timer == nil {
		t.timer = time.AfterFunc(window-since, t.signal)
	}
}

func (t *turn) signal() {
	select {
	case t.ready <- struct{}{}:
	default:
	}
}

// wait returns the next batch, as a command. Only one may run at a time, and none after Ended.
func (t *turn) wait() tea.Msg {
	for range t.ready {
		if batch := t.take(); batch.state != nil || len(batch.events) > 0 {
			return batch
		}
	}
	return nil
}

func (t *turn) take() batchMsg {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.flush()
	batch := batchMsg{t, t.state, t.pending}
	t.state, t.pending, t.taken = nil, nil, time.Now()
	if t.timer != nil {
		t.timer.Stop()
		t.timer = nil
	}
	return batch
}
