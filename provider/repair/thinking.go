package repair

import (
	"context"
	"fmt"
	"strings"

	"github.com/aloudchat/aloud/provider"
)

// splitTags turns text between thinking tags into thinking.
func splitTags(ctx context.Context, req request, m model, yield yieldFunc) {
	var t tags
	ok, yielded := true, false
	emit := func(c provider.Chunk) { ok, yielded = ok && yield(c, nil), true }
	for c, err := range m.Chat(ctx, req) {
		if c.Text != "" {
			yielded = false
			if t.next(c.Text, emit); !yielded {
				emit(provider.Chunk{}) // shows that the model is at work
			}
		} else {
			if err != nil || c.Done {
				t.flush(emit)
			}
			ok = ok && yield(c, err)
		}
		if !ok {
			return
		}
	}
}

// maxToken is the highest average length of tokens in bytes. Servers may send several tokens in one piece.
const maxToken = 8

// endThinking asks a model for an answer after too much thinking without text, or thinking that repeats itself. If it
// only thinks again, the reply is empty.
func endThinking(ctx context.Context, req request, m model, yield yieldFunc) {
	for asked := false; ; asked = true {
		end := forwardThinking(ctx, m, req, yield)
		if end.Reason == "" {
			return
		}
		if asked {
			yield(end, nil)
			return
		}
		notice := fmt.Sprintf("The model thought for more than %d tokens (limits.thinking_tokens) and was asked to answer",
			req.ThinkingTokens)
		if end.Reason == provider.ReasonRepeats {
			notice = "The model's thinking repeated itself, so it was asked to answer"
		}
		if !yield(provider.Chunk{Notice: notice}, nil) {
			return
		}
		req.Think = req.ThinkLess
		req = withHint(req, "You have thought long enough. Stop thinking: answer now, or call the tool that you need.")
	}
}

// forwardThinking yields a reply. If its thinking becomes too long or repeats itself, it returns the end of the reply
// instead.
func forwardThinking(
	ctx context.Context, m model, req request, yield yieldFunc,
) (end provider.Chunk) {
	pieces, size, over := 0, 0, req.ThinkingTokens <= 0
	answers := false // there is text that was not withdrawn, or a call
	for c, err := range m.Chat(ctx, req) {
		if c.Thinking != "" {
			pieces, size = pieces+1, size+len(c.Thinking)
		}
		answers = answers && c.Withdraw == 0 || len(c.Calls) > 0 || strings.TrimSpace(c.Text) != ""
		if c.Reason == provider.ReasonRepeats && pieces > 0 && !answers {
			return c
		}
		over = over || answers || c.Withdraw != 0 // a tag showed that text was thinking, which is then over
		if !yield(c, err) || err != nil || c.Done {
			return provider.Chunk{}
		}
		if !over && max(pieces, size/maxToken) > req.ThinkingTokens {
			return provider.Chunk{Done: true, Reason: "stop"}
		}
	}
	return provider.Chunk{}
}
