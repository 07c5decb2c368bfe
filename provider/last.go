package provider

import (
	"context"
	"strings"

	"github.com/aloudchat/aloud/status"
)

// wrapUp makes the last request of a turn that a limit ended: without tools, to answer from what is there. The reason stays the limit's,
// whatever comes of it, unless a person cancels. It has what is left of the time, and lastAnswer at least.
func (t *turn) wrapUp(ctx context.Context, end ending) ending {
	t.lastFailed, t.begun = "", true // nothing is tried any more, and all that is read counts
	bounded, timeUp := context.WithCancelCause(ctx)
	defer timeUp(nil)
	t.clock.grant(lastAnswer, func() { timeUp(errTime) })
	r, err := t.ask(bounded, func() Request { return t.request(nil, wrapUp(end.why)) })
	r.Calls = nil // none were offered
	if r.Text != "" || r.Thinking != "" {
		t.append(r.Message)
	}
	t.result.Answer = r.Text
	switch {
	case ctx.Err() != nil:
		return t.interrupted(ctx, err)
	case strings.TrimSpace(r.Text) != "":
		t.result.LastRequest = true
		switch {
		case bounded.Err() != nil:
			end.Detail += "; the last answer was cut off after " + status.Duration(lastAnswer) + " more"
		case err != nil:
			end.Detail += "; the last answer broke off: " + err.Error()
		}
		return end
	case err != nil && bounded.Err() == nil:
		end.Detail += "; the last request failed: " + err.Error()
	default:
		end.Detail += "; the model gave no answer from what it had"
	}
	t.result.Answer = ""
	return end
}
