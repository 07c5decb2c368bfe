package provider

import (
	"context"
	"fmt"
	"iter"
	"slices"
	"strings"
	"time"

	"github.com/aloudchat/aloud/mcpclient"
	"github.com/aloudchat/aloud/sanitize"
	"github.com/aloudchat/aloud/status"
)

// turn is one turn while it runs. All of it but the clock belongs to the goroutine of the iterator.
type turn struct {
	chat  *Chat
	yield func(Event, error) bool
	leave context.CancelFunc // ends everything that runs for the turn
	left  bool               // the reader is gone: nothing may be yielded any more

	messages []Message         // the conversation so far; grown in place, which no reader of the turn can see
	view     *view             // the same as the model gets it; nil: to be made
	now      map[string]string // by call: what the model reads behind its result in this turn only
	tools    []mcpclient.Tool
	specs    []ToolSpec
	titles   map[string]bool // those that several servers have; nil until a call needs them
	known    *learned
	limits   Limits
	clock    workTime
	naps     *naps
	missed   time.Duration // of the naps, that the line and the silence already leave out
	silence  *silence      // of the present reply, or of the last one
	line     status.State
	counted  int // tokens on the line before the present reply
	fresh    int // about how many tokens of the present request the server has not read before
	result   Result

	mistakes   mistakes
	lastFailed string // the tool whose failure was the last news of the last round, or ""
	unapproved string // the tool of the last round that nobody was there to approve, or ""
	repeats    repeats
	begun      bool // a piece of a reply has come
	shortened  int  // how often the server refused the conversation for its length
	attempt    int  // of how many attempts this is to get the present reply
	attempts   int
	ids        map[string]bool // of all calls of the conversation, once the first call came
}

// turn runs one turn as a sequence of events; begin are its first messages.
func (c *Chat) turn(ctx context.Context, conv Conversation, begin ...Message) iter.Seq2[Event, error] {
	return c.events(ctx, conv, func(ctx context.Context, t *turn) ending {
		t.append(begin...)
		return t.run(ctx)
	})
}

// events runs work in a turn of its own and gives its events.
func (c *Chat) events(ctx context.Context, conv Conversation, work func(context.Context, *turn) ending) iter.Seq2[Event, error] {
	return func(yield func(Event, error) bool) {
		ctx, leave := context.WithCancel(ctx)
		defer c.restStatusModel()
		defer leave()
		t := &turn{chat: c, yield: yield, leave: leave, messages: conv.Messages(), known: c.of(c.Name), now: make(map[string]string), limits: c.limits(), naps: newNaps(time.Now)}
		t.naps.start(t.clock.skip)
		defer t.naps.stop()
		t.clock.look = t.naps.look
		t.line.Rounds = t.limits.Iterations
		t.result = Result{Model: c.Name, Session: c.Session, ToolCalls: []ToolCall{}, Sources: []string{}}
		if c.logs() {
			t.yield = t.logEvents(yield)
		}
		began := time.Now()
		end := work(ctx, t)
		t.result.Timing.Total = (time.Since(began) - t.naps.look()).Milliseconds()
		t.end(end)
		t.known.keep(t.result.Usage.ContextUsed) // nobody waits for a file
	}
}

// run is the turn from the first request to its ending.
func (t *turn) run(ctx context.Context) ending {
	if err := t.awaitServers(ctx); err != nil {
		return t.interrupted(ctx, err)
	}
	working, timeUp := context.WithCancelCause(ctx)
	defer timeUp(nil)
	t.clock.start(t.limits.TotalTime, func() { timeUp(errTime) })
	defer t.clock.stop()

	if err := t.prepare(working); err != nil {
		return t.interrupted(working, err)
	}
	for {
		reply, err := t.next(working)
		if err == nil && len(reply.Calls) == 0 {
			return t.answered(reply)
		}
		var end ending
		if err != nil {
			end = t.keepPartial(reply, t.interrupted(working, err))
		} else {
			end = t.useTools(working, reply)
		}
		switch {
		case end.goesOn():
		case end.isLimit() && t.result.Answer == "":
			return t.wrapUp(ctx, end)
		default:
			return end
		}
	}
}

// next gets the next reply.
func (t *turn) next(ctx context.Context) (reply, error) {
	if err := t.makeRoom(ctx); err != nil {
		return reply{}, err
	}
	return t.ask(ctx, func() Request { return t.request(t.specs, "") })
}

// answered ends the turn with the model's reply.
func (t *turn) answered(r reply) ending {
	t.append(r.Message)
	t.result.Answer = r.Text
	empty := strings.TrimSpace(r.Text) == ""
	switch {
	case r.gaveUp && empty:
		t.notice("The model gave up and did not say why.")
	case empty:
		t.notice("No answer: %s.", r.whyEmpty())
	case r.most:
		t.notice("The answer was cut off: it was longer than aloud takes.")
	case r.cut:
		t.notice("The answer was cut off: the context of %d tokens is full.", t.known.window)
	}
	switch {
	case r.gaveUp:
		return ending{Stop: Stop{Reason: GaveUp, Detail: "the model says that it cannot do this"}, why: "the model gave up"}
	case empty && t.unapproved == "": // scripts must not take nothing for an answer
		return ending{Stop: Stop{Reason: GaveUp, Detail: r.whyEmpty()}, why: "the model gave no answer"}
	}
	if t.unapproved != "" { // the model could only answer that it was not allowed to go on; scripts must not take that for done
		why := t.unapproved + " needs approval, and nobody was there to give it"
		return ending{Stop: Stop{Reason: Denied, Detail: why}, why: why}
	}
	return ending{Stop: Stop{Reason: Done}}
}

// whyEmpty says what came in place of an answer.
func (r reply) whyEmpty() string {
	why := "the model gave an empty answer"
	if strings.TrimSpace(r.Thinking) != "" {
		why = "the model only thought and gave no answer"
	}
	if r.again {
		why += ", also when it was asked again"
	}
	return why
}

// keepPartial stores what a reply had said when it was stopped. When its time ran out in the middle of the answer, that is the answer.
func (t *turn) keepPartial(r reply, end ending) ending {
	hadCalls := len(r.Calls) > 0
	r.Calls = nil
	if r.Text != "" || r.Thinking != "" {
		t.append(r.Message)
	}
	if !hadCalls && strings.TrimSpace(r.Text) != "" {
		t.result.Answer = r.Text
	}
	return end
}

// append adds messages to the conversation. A summary changes what the model gets of those before it.
func (t *turn) append(m ...Message) {
	if len(m) == 0 {
		return
	}
	t.messages = append(t.messages, m...)
	if slices.ContainsFunc(m, func(m Message) bool { return m.Role == RoleSummary }) {
		t.view = nil
	}
	if t.view != nil {
		t.view.add(m...)
	}
	t.emit(Appended{m})
}

// emit hands an event to the reader. One that leaves ends the work, and hears nothing more.
func (t *turn) emit(e Event) {
	if !t.left && !t.yield(e, nil) {
		t.left = true
		t.leave()
	}
}

// notice tells the person something, in one safe sentence.
func (t *turn) notice(format string, args ...any) {
	t.emit(Notice{sanitize.Line(valid(fmt.Sprintf(format, args...)))})
}

// end says how the turn ended. The last event is always Ended.
func (t *turn) end(e ending) {
	e.Detail = sanitize.Line(valid(e.Detail)) // servers and tools have a part in it
	if e.isLimit() {
		e.Detail = unable + e.Detail + "]"
		t.notice("%s", e.Detail)
	}
	t.result.Stop = e.Stop
	if e.Reason != Done {
		t.show(status.Stopped, e.Words())
	}
	if !t.left {
		t.yield(Ended{Result: t.result, Conversation: Conversation{slices.Clip(t.messages)}, Err: e.err}, e.err)
	}
}
