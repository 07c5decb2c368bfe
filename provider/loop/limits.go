package loop

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/aloudchat/aloud/internal/quantity"
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
	why string // a short reason for the last request to the model
	err error  // with Failed: the cause
}

func (e ending) goesOn() bool { return e.Reason == "" }

// isLimit reports whether the model is asked once more after this ending.
func (e ending) isLimit() bool {
	limits := []event.Reason{event.Iterations, event.Errors, event.Time, event.InvalidTool}
	return slices.Contains(limits, e.Reason)
}

// stopped returns an ending without a limit.
func stopped(reason event.Reason, detail, why string) ending {
	return ending{Stop: event.Stop{Reason: reason, Detail: detail}, why: why}
}

// limited returns the ending of a limit. setting is the key that changes it, or "".
func limited(reason event.Reason, limit any, why, setting string) ending {
	detail := why
	if setting != "" {
		detail = fmt.Sprintf("%s (%s = %v)", why, setting, limit)
	}
	return ending{Stop: event.Stop{Reason: reason, Detail: detail, Limit: limit}, why: why}
}

// cutOff returns the ending of an answer that was cut off. Most servers do not say which of their limits is full: it is
// the context window if prompt and answer fill it. If they are estimates, they need only fill most of it.
func (t *turn) cutOff(r reply) ending {
	const nearly = 16 // tokens that servers keep free
	window, prompt := r.request.Context, t.known.size(r.request.WithHint(), r.request.Tools)
	isFull := max(prompt+r.tokens, t.result.Usage.ContextUsed) >= window*3/4
	if r.prompt > 0 && r.tokens > 0 {
		isFull = r.prompt+r.tokens >= window-nearly
	}
	size, end := t.known.sized(window), stopped(event.Length, "", "")
	switch {
	case r.reason == provider.ReasonRepeats && strings.TrimSpace(r.Text) == "" && r.Thinking != "":
		end.Detail = "the thinking" + event.Repeats
	case r.reason == provider.ReasonRepeats:
		end.Detail = "the answer" + event.Repeats
	case r.reason == provider.ReasonCut && len(r.Text) >= provider.MaxText:
		end.Detail, end.Limit = fmt.Sprintf("the answer is longer than %d MB", provider.MaxText>>20), provider.MaxText
	case r.reason == provider.ReasonCut:
		end.Detail = "the reply is too long"
	case r.reason == provider.ReasonFull && size.Assumed: // the guess was wrong
		end.Detail = event.WindowFull + " is full"
	case r.reason == provider.ReasonFull, isFull:
		end.Detail = fmt.Sprintf("%s of %s tokens is full", event.WindowFull, size)
		if !size.Assumed {
			end.Limit = window
		}
	case r.tokens > 0 && !size.Assumed:
		end.Detail, end.Limit = "the model server's limit of "+quantity.Plural(r.tokens, "token")+" is reached", r.tokens
	default:
		end.Detail = "the model server's limit of tokens is reached"
	}
	return end
}

// interrupted returns the reason why work was interrupted: the time limit, you, or a failure.
func (t *turn) interrupted(ctx context.Context, err error) ending {
	switch {
	case errors.Is(context.Cause(ctx), errTime):
		total := t.limits.TotalTime
		return limited(event.Time, total.String(), quantity.Duration(total)+" of work used", "limits.total_time")
	case ctx.Err() != nil:
		return cancelled(ctx)
	}
	e := provider.AsError(err)
	end := stopped(event.Failed, e.Detail(), "an error")
	end.err = e
	return end
}

// cancelled returns the ending of a turn whose context was cancelled.
func cancelled(ctx context.Context) ending {
	stop := event.StopOf(ctx)
	return ending{Stop: stop, why: cmp.Or(stop.Detail, "stopped by the user")}
}
