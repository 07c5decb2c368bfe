package loop

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/aloudchat/aloud/provider"
	"github.com/aloudchat/aloud/quantity"
)

// totalTime is the default of Limits.TotalTime. It is there to end a loop that goes nowhere, never to end an ordinary question, and the slowest
// machines that people use set it: a processor without a GPU reads 40 tokens a second and writes 5. There a thinking model (400 tokens of
// thoughts a reply) that calls one tool, reads 2000 tokens of result and answers in 800 works for six minutes. On a fast machine the limit on
// rounds ends a loop long before.
const totalTime = 10 * time.Minute

// lastAnswer bounds the answer that a turn gives after its time is used: the last request, or the answer that was being written.
const lastAnswer = 30 * time.Second

// errTime is the cause of a context that ended because the time for the work is used.
var errTime = errors.New("the time for the work is used")

func (l Limits) withDefaults() Limits {
	return Limits{
		Iterations:        cmp.Or(max(l.Iterations, 0), 10),
		ConsecutiveErrors: cmp.Or(max(l.ConsecutiveErrors, 0), 3),
		TotalTime:         cmp.Or(max(l.TotalTime, 0), totalTime),
		Silence:           cmp.Or(max(l.Silence, 0), time.Minute),
		ThinkingTokens:    max(l.ThinkingTokens, 0),
	}
}

// ending is why a turn ends, with what only the turn itself needs. The zero value means that it goes on.
type ending struct {
	provider.Stop
	why string // the reason in a few words: for the model in its last request
	err error  // with Failed: the cause
}

func (e ending) goesOn() bool { return e.Reason == "" }

// isLimit tells the endings after which the model is asked once more.
func (e ending) isLimit() bool {
	switch e.Reason {
	case provider.Iterations, provider.Errors, provider.Time, provider.InvalidTool:
		return true
	}
	return false
}

// limited makes the ending of a limit. setting names the key that moves it, or is "".
func limited(reason provider.Reason, limit any, why, setting string) ending {
	detail := why
	if setting != "" {
		detail = fmt.Sprintf("%s (%s = %v)", why, setting, limit)
	}
	return ending{Stop: provider.Stop{Reason: reason, Detail: detail, Limit: limit}, why: why}
}

// interrupted says why work was cut short: time, you, or a failure.
func (t *turn) interrupted(ctx context.Context, err error) ending {
	switch {
	case errors.Is(context.Cause(ctx), errTime):
		total := t.limits.TotalTime
		return limited(provider.Time, total.String(), quantity.Duration(total)+" of work used", "limits.total_time")
	case ctx.Err() != nil:
		return stoppedByUser
	}
	e := provider.AsError(err)
	return ending{Stop: provider.Stop{Reason: provider.Failed, Detail: e.Detail()}, why: "an error", err: e}
}

var stoppedByUser = ending{Stop: provider.Stop{Reason: provider.Cancelled}, why: "stopped by the user"}
