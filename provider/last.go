package provider

import (
	"context"
	"strings"
)

// wrapUp makes the last request of a turn that a limit ended: without tools, to answer from what is there. The reason stays the limit's,
// whatever comes of it, unless a person cancels. After the time is used it has lastAnswer; otherwise what is left of the time.
func (t *turn) wrapUp(ctx, working context.Context, end ending) ending {
	t.lastFailed = "" // nothing is tried any more
	if end.Reason == Time {
		bounded, cancel := context.WithTimeout(ctx, lastAnswer)
		defer cancel()
		working = bounded
	}
	r, err := t.stream(working, t.request(nil, wrapUp(end.why)))
	r.Calls = nil // none were offered
	if r.Text != "" || r.Thinking != "" {
		t.append(r.Message)
	}
	t.result.Answer = r.Text
	switch {
	case ctx.Err() != nil:
		return t.interrupted(ctx, err)
	case strings.TrimSpace(r.Text) != "":
		return end
	case err != nil && working.Err() == nil:
		end.Detail += "; the last request failed: " + err.Error()
	default:
		end.Detail += "; the model gave no answer from what it had"
	}
	t.result.Answer = ""
	return end
}
