package repair

import (
	"context"
	"fmt"
	"strings"

	"github.com/aloudchat/aloud/provider"
)

// splitTags turns text between thinking tags into thinking.
func splitTags(ctx context.Context, req provider.Request, m provider.Model, yield func(provider.Chunk, error) bool) {
	var t tags
	var text strings.Builder
	recast, ok, passed := false, true, false
	emit := func(c provider.Chunk) {
		passed = true
		ok = ok && yield(c, nil)
	}
	check := func() { // the templates of some models open the tag in the prompt
		if t.stray && !recast && text.Len() > 0 {
			emit(provider.Chunk{Withdraw: provider.WithdrawText})
			emit(provider.Chunk{Thinking: text.String()})
		}
		recast = t.stray
	}
	piece := func(s string, thinking bool) {
		check()
		if thinking {
			emit(provider.Chunk{Thinking: s})
			return
		}
		text.WriteString(s)
		emit(provider.Chunk{Text: s})
	}
	for c, err := range m.Chat(ctx, req) {
		if c.Text != "" {
			passed = false
			if t.next(c.Text, piece); !passed {
				emit(provider.Chunk{}) // a sign of life
			}
		} else {
			if err != nil || c.Done {
				t.flush(piece)
				check()
			}
			ok = ok && yield(c, err)
		}
		if !ok {
			return
		}
	}
}

// longestToken is the most bytes that a token has on average: servers may send several tokens in one piece.
const longestToken = 8

// endThinking asks a model to answer when it has thought longer than it may without saying anything. If it only thinks
// then, too, the reply is empty.
func endThinking(ctx context.Context, req provider.Request, m provider.Model, yield func(provider.Chunk, error) bool) {
	for asked := false; ; asked = true {
		if passThinking(ctx, m, req, yield) {
			return
		}
		if asked {
			yield(provider.Chunk{Done: true, Reason: "stop"}, nil)
			return
		}
		if !yield(provider.Chunk{Notice: fmt.Sprintf("The model thought for more than %d tokens (limits.thinking_tokens) and was asked to answer.",
			req.ThinkingTokens)}, nil) {
			return
		}
		req.Think = req.ThinkLess
		req = hinted(req, "You have thought long enough. Do not think any more: answer now, or call the tool that you need.")
	}
}

// passThinking yields a reply, and reports whether it was complete: false means that the thinking became too long.
func passThinking(ctx context.Context, m provider.Model, req provider.Request, yield func(provider.Chunk, error) bool) bool {
	pieces, size, over := 0, 0, req.ThinkingTokens <= 0
	for c, err := range m.Chat(ctx, req) {
		if c.Thinking != "" {
			pieces, size = pieces+1, size+len(c.Thinking)
		}
		// Text that becomes thinking ends with a tag: the thinking is over.
		over = over || c.Withdraw != 0 || len(c.Calls) > 0 || strings.TrimSpace(c.Text) != ""
		if !yield(c, err) || err != nil || c.Done {
			return true
		}
		if !over && max(pieces, size/longestToken) > req.ThinkingTokens {
			return false
		}
	}
	return true
}
