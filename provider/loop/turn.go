package loop

import (
	"context"
	"fmt"
	"iter"
	"time"

	"github.com/aloudchat/aloud/mcpclient"
	"github.com/aloudchat/aloud/provider"
	"github.com/aloudchat/aloud/sanitize"
)

// turn is one turn while it runs. All of it but the clock belongs to the goroutine of the iterator.
type turn struct {
	chat  *Chat
	yield func(provider.Event, error) bool
	leave context.CancelFunc // ends everything that runs for the turn
	left  bool               // the reader is gone: nothing may be yielded any more

	history  history
	tools    toolset
	known    *learned
	limits   Limits
	clock    workTime
	result   provider.Result
	mistakes mistakes
	repeats  repeats
}

// turn runs one turn as a sequence of events; begin are its first messages.
func (c *Chat) turn(ctx context.Context, conv provider.Conversation, begin ...provider.Message) iter.Seq2[provider.Event, error] {
	return c.events(ctx, conv, func(ctx context.Context, t *turn) ending {
		t.append(begin...)
		return t.run(ctx)
	})
}

// events runs work in a turn of its own and gives its events.
func (c *Chat) events(ctx context.Context, conv provider.Conversation, work func(context.Context, *turn) ending) iter.Seq2[provider.Event, error] {
	return func(yield func(provider.Event, error) bool) {
		if c.Policy == nil {
			c.Policy = mcpclient.NewPolicy(mcpclient.ApprovalAuto, nil, nil, nil)
		}
		ctx, leave := context.WithCancel(ctx)
		defer leave()
		t := &turn{chat: c, yield: yield, leave: leave, history: history{messages: conv.Messages()}, known: c.of(c.Name), limits: c.Limits.withDefaults()}
		c.clock.Store(&t.clock)
		defer c.clock.Store(nil)
		t.result = provider.Result{Model: c.Name, Session: c.Session}
		if c.Log != nil {
			t.yield = t.logEvents(yield)
		}
		began := time.Now()
		t.emit(provider.Began{Model: c.Name, Rounds: t.limits.Iterations})
		end := work(ctx, t)
		t.result.Timing.Total = (time.Since(began) - t.clock.suspended()).Milliseconds()
		t.end(end)
		t.known.keep(t.result.Usage.ContextUsed) // the file is not worth waiting for
	}
}

// append adds messages to the conversation.
func (t *turn) append(m ...provider.Message) {
	if len(m) == 0 {
		return
	}
	t.history.add(m...)
	t.emit(provider.Appended{Messages: m})
}

// emit hands an event to the reader. If the reader leaves, the work ends and no more events are yielded.
func (t *turn) emit(e provider.Event) {
	if !t.left && !t.yield(e, nil) {
		t.left = true
		t.leave()
	}
}

// notice tells you something, in one safe sentence.
func (t *turn) notice(format string, args ...any) {
	t.emit(provider.Notice{Text: sanitize.Line(valid(fmt.Sprintf(format, args...)))})
}

// end says how the turn ended. The last event is always Ended.
func (t *turn) end(e ending) {
	e.Detail = sanitize.Line(valid(e.Detail)) // servers and tools have a part in it
	if e.isLimit() {
		e.Detail = provider.Unable + e.Detail + "]"
		t.notice("%s", e.Detail)
	}
	t.result.Stop = e.Stop
	if !t.left {
		t.yield(provider.Ended{Result: t.result, Conversation: provider.Conversation{}.With(t.history.messages...), Err: e.err}, e.err)
	}
}

// logEvents passes the events of a turn on and writes them into the log.
func (t *turn) logEvents(yield func(provider.Event, error) bool) func(provider.Event, error) bool {
	log, l := t.chat.Log, t.limits
	log.Debug("turn begins", "model", t.chat.Name, "messages", len(t.history.messages), "iterations", l.Iterations, "consecutive_errors", l.ConsecutiveErrors,
		"total_time", l.TotalTime.String(), "silence", l.Silence.String(), "thinking_tokens", l.ThinkingTokens)
	return func(e provider.Event, err error) bool {
		provider.LogEvent(log, e)
		return yield(e, err)
	}
}
