package loop

import (
	"cmp"
	"context"
	"errors"
	"strings"
	"time"

	"github.com/aloudchat/aloud/provider"
	"github.com/aloudchat/aloud/provider/event"
)

// totalTime is the default of Limits.TotalTime. It should only end turns that make no progress, even on the slowest
// machines in use: a CPU that reads 40 tokens a second and writes 5. There a thinking model (400 tokens a reply) that
// calls one tool, reads a result of 2000 tokens and answers with 800 works for six minutes.
const totalTime = 10 * time.Minute

// lastAnswer is the time for an answer after the time limit: for the last request, or for an answer that has begun.
const lastAnswer = 30 * time.Second

// errTime is the cause of a context that ended because of the time limit.
var errTime = errors.New("the time limit is reached")

func (l Limits) withDefaults() Limits {
	return Limits{
		Iterations:        cmp.Or(max(l.Iterations, 0), 10),
		ConsecutiveErrors: cmp.Or(max(l.ConsecutiveErrors, 0), 3),
		TotalTime:         cmp.Or(max(l.TotalTime, 0), totalTime),
		Silence:           cmp.Or(max(l.Silence, 0), time.Minute),
		ThinkingTokens:    max(l.ThinkingTokens, 0),
	}
}

// ending is why a turn ends. The zero value means that it continues.
type ending struct {
	event.Stop
	answer string // after a limit: what is wrong with the answer of the last request, or ""
	err    error  // with Failed: the cause
}

func (e ending) goesOn() bool { return e.Reason == "" }

func stopped(stop event.Stop) ending { return ending{Stop: stop} }

// cutOff returns the ending of an answer that was cut off. Most servers do not say which of their limits is full: it is
// the context window if prompt and answer fill it. If they are estimates, they need only fill most of it.
func (t *turn) cutOff(r reply) ending {
	const nearly = 16 // tokens that servers keep free
	window, prompt := r.request.Context, t.known.size(r.request.Messages, r.request.Tools)
	isFull := max(prompt+r.tokens, t.result.Usage.ContextUsed) >= window*3/4
	if r.prompt > 0 && r.tokens > 0 {
		isFull = r.prompt+r.tokens >= window-nearly
	}
	stop, assumed := event.Stop{Reason: event.Length}, t.known.sized(window).Assumed
	switch {
	case r.reason == provider.ReasonRepeats && strings.TrimSpace(r.Text) == "" && r.Thinking != "":
		stop.Cause = event.ThinkingRepeats
	case r.reason == provider.ReasonRepeats:
		stop.Cause = event.AnswerRepeats
	case r.reason == provider.ReasonCut && len(r.Text) >= provider.MaxText:
		stop.Cause, stop.Value, stop.Limit = event.AnswerTooLong, provider.MaxText, provider.MaxText
	case r.reason == provider.ReasonCut:
		stop.Cause = event.ReplyTooLong
	case r.reason == provider.ReasonFull && assumed: // the guess was wrong
		stop.Cause = event.WindowFull
	case r.reason == provider.ReasonFull, isFull:
		stop.Cause, stop.Value = event.WindowFull, window
		if !assumed {
			stop.Limit = window
		}
	case r.tokens > 0 && !assumed:
		stop.Cause, stop.Value, stop.Limit = event.TokenLimit, r.tokens, r.tokens
	default:
		stop.Cause = event.TokenLimit
	}
	return stopped(stop)
}

// interrupted returns the reason why work was interrupted: the time limit, you, or a failure.
func (t *turn) interrupted(ctx context.Context, err error) ending {
	switch {
	case errors.Is(context.Cause(ctx), errTime):
		total := t.limits.TotalTime
		return stopped(event.Stop{Reason: event.Time, Value: int(total.Milliseconds()), Limit: total.String()})
	case ctx.Err() != nil:
		return stopped(event.StopOf(ctx))
	}
	e := provider.AsError(err)
	return ending{Stop: event.FailedBy(e), err: e}
}
