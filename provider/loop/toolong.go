package loop

import (
	"cmp"
	"context"
	"slices"

	"github.com/aloudchat/aloud/provider"
)

// mostRefusals is how many requests of a turn may be too long.
const mostRefusals = 2

// tooLong adapts to the refusal of a request that is too long: it takes a larger context, or else makes the
// conversation shorter. It reports whether to try again. Sizes that the server does not report are guessed once.
func (t *turn) tooLong(ctx context.Context, req provider.Request, e *provider.Error, takeBack func()) bool {
	t.history.tooLong++
	if guess := e.Tokens == 0; t.history.tooLong > mostRefusals || guess && t.history.tooLong > 1 {
		return false
	}
	k := t.known
	_ = k.describe(ctx, t.chat.Model) // if this fails, the limit is a guess
	k.refused(provider.Estimate(req.Messages, req.Tools), req.Context, e)
	size := max(t.need(), cmp.Or(e.Tokens, req.Context))
	if wider := k.windowFor(size); wider > req.Context && (size <= wider || e.Tokens == 0) {
		k.window = wider
		return true
	}
	enough := t.roomy()
	if e.Tokens == 0 {
		k.scale = min(2*max(k.scale, 1), mostScale)
		if k.sized(k.limit()).Assumed {
			enough = 0 // the least that is possible: there is only one more try
		}
	}
	was := t.need()
	if _, err := t.compact(ctx, waysToCompact(t.history.messages), enough, takeBack); err != nil {
		return false
	}
	t.cutResults(takeBack)
	return t.need() < was
}

// refused learns from the refusal of a request with an estimated number of tokens and a context of window tokens: it
// has at least as many, unless the window is a guess.
func (k *knowledge) refused(estimated, window int, e *provider.Error) {
	least := cmp.Or(e.Tokens, e.Window)
	if !k.sized(window).Assumed {
		least = cmp.Or(least, window)
	}
	k.tooSmall = true
	if e.Window > 0 && (k.info.Fixed || e.Window < window) {
		k.info.Context, k.window = e.Window, e.Window
	}
	scale := min(float64(least)/float64(max(estimated, 1)), mostScale)
	k.scale, k.measured = max(k.scale, scale), measure{}
	if e.Tokens > 0 {
		k.ownScale, k.measured = max(k.ownScale, scale), measure{estimated, e.Tokens}
	}
}

// room returns how many tokens a request may have.
func (k *knowledge) room() int { return k.limit() - min(reserve, k.limit()/4) }

// cutResults shortens the tool results of the last round if the next request would not fit.
func (t *turn) cutResults(takeBack func()) {
	over := t.need() - t.known.room()
	shorter := slices.Clone(t.history.messages)
	results, tokens := []*provider.Message(nil), 0
	for i := lastRound(shorter); i < len(shorter); i++ {
		if m := &shorter[i]; m.Role == provider.RoleTool && len(m.Text) > provider.MinResult {
			results, tokens = append(results, m), tokens+t.known.scaled(provider.Estimate(shorter[i:i+1], nil))
		}
	}
	if over <= 0 || tokens == 0 {
		return
	}
	takeBack()
	share := max(0, 1-float64(over)/float64(tokens))
	for _, m := range results {
		room, note := int(share*float64(len(m.Text))), ""
		if whole, ok := t.chat.Shared.shelf.whole(*m); ok {
			m.Text, note = t.chat.Shared.shelf.cut(m.CallID, whole, room-noteBytes)
			m.Text += note
		} else {
			m.Text, _ = provider.Trim(m.Text, room)
		}
	}
	t.history.messages, t.history.view = shorter, nil
}
