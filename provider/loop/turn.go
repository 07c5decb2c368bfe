package loop

import (
	"context"
	"fmt"
	"time"

	"github.com/aloudchat/aloud/internal/sanitize"
	"github.com/aloudchat/aloud/mcpclient"
	"github.com/aloudchat/aloud/provider"
	"github.com/aloudchat/aloud/provider/event"
)

// turn is a running turn. Except for its clock, it belongs to the goroutine of the iterator.
type turn struct {
	chat  Chat // with Policy and Shared
	yield func(event.Event, error) bool
	leave context.CancelFunc // cancels everything that runs for the turn
	left  bool               // the reader has left: yield must not be called

	history  history
	tools    toolset
	known    *knowledge
	offered  bool // the tools for the model are known
	counted  int  // length of the conversation with the last reply, if the server counted its tokens; else 0
	limits   Limits
	clock    workTime
	result   event.Result
	mistakes mistakes
	repeats  repeats
	asides   asides
}

// events runs work as a turn and yields its events.
func (c Chat) events(
	ctx context.Context, conv provider.Conversation, work func(context.Context, *turn) ending,
) event.Events {
	return func(yield func(event.Event, error) bool) {
		c := c.sharing()
		if c.Policy == nil {
			c.Policy = mcpclient.NewPolicy(mcpclient.ApprovalAuto, nil, nil, nil)
		}
		ctx, leave := context.WithCancel(ctx)
		defer leave()
		t := &turn{chat: c, yield: yield, leave: leave, known: c.known(), limits: c.Limits.withDefaults()}
		t.setRounds()
		t.history.messages = conv.Messages()
		c.Shared.clock.Store(&t.clock)
		defer c.Shared.clock.Store(nil)
		t.result = event.Result{Model: c.Name, Session: c.Session}
		if c.Log != nil {
			t.yield = t.logEvents(yield)
		}
		began := time.Now()
		t.clock.turn.start()
		t.emit(event.Began{Model: c.Name, Rounds: t.limits.Iterations})
		end := work(ctx, t)
		t.result.Timing.Total = (time.Since(began) - t.clock.now().Suspended).Milliseconds()
		t.fill()
		t.end(end)
		t.known.keep(t.result.Usage.ContextUsed)
	}
}

// append adds messages to the conversation.
func (t *turn) append(m ...provider.Message) {
	if len(m) == 0 {
		return
	}
	t.history.add(m...)
	t.emit(event.Appended{Messages: m})
}

// emit yields an event. If the reader leaves, the work is cancelled and nothing more is yielded.
func (t *turn) emit(e event.Event) {
	if !t.left && !t.yield(e, nil) {
		t.left = true
		t.leave()
	}
}

// notice emits a notice, sanitised.
func (t *turn) notice(format string, args ...any) {
	t.emit(event.Notice{Text: sanitize.Line(valid(fmt.Sprintf(format, args...)))})
}

// end emits the end of the turn.
func (t *turn) end(e ending) {
	t.result.Stop = e.Told(e.answer)
	if e.Reason.IsLimit() {
		t.notice("%s", t.result.Stop.Detail)
	}
	if !t.left {
		conv := provider.Conversation{}.With(t.history.messages...)
		t.yield(event.Ended{Result: t.result, Conversation: conv, Err: e.err}, e.err)
	}
}

// fill estimates how much of the context the conversation takes, unless the server has counted all of it.
func (t *turn) fill() {
	if t.offered && t.counted != len(t.history.messages) {
		window := t.chat.Window()
		u := &t.result.Usage
		u.ContextUsed, u.ContextEstimated = t.need(), true
		u.ContextSize, u.ContextAssumed = window.Tokens, window.Assumed
	}
}
