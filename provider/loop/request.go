package loop

import (
	"context"
	"slices"
	"strings"

	"github.com/aloudchat/aloud/provider"
	"github.com/aloudchat/aloud/quantity"
)

// request is what the model gets next: always the same system prompt and tools in the same order, then the conversation, which only grows.
// So the server's prompt cache has all but what is new.
// hint is said to the model this once.
func (t *turn) request(tools []provider.ToolSpec, hint string) provider.Request {
	messages := slices.Clip(t.toSend())
	k := t.known
	k.offers(len(tools) > 0)
	req := provider.Request{
		Model: t.chat.Name, Messages: messages, Tools: tools, Think: k.think(t.chat.Think), ThinkLess: k.thinkLess(), ThinkingTokens: t.limits.ThinkingTokens,
		Hint: hint,
	}
	if len(tools) == 0 {
		req.Withheld = t.tools.specs
	}
	req.Context = t.fit(k.scaled(provider.Estimate(req.Spoken(), tools)))
	return req
}

// toSend is the conversation as the model gets it.
func (t *turn) toSend() []provider.Message {
	return t.history.sent(t.systemPrompt())
}

// need is about how many tokens the next request has.
func (t *turn) need() int { return t.known.scaled(provider.Estimate(t.toSend(), t.tools.specs)) }

// fit is the budget check: it says once when no context holds need tokens.
func (t *turn) fit(need int) int {
	window := t.known.widen(need)
	if need > window {
		t.noticeOnce("The conversation has about %s tokens, but the context of the model holds %s: it may not fit.", quantity.Count(need), quantity.Count(window))
	}
	return window
}

// noticeOnce tells people something about the model once.
func (t *turn) noticeOnce(format string, args ...any) {
	if !t.known.told[format] {
		t.known.told[format] = true
		t.notice(format, args...)
	}
}

// adapt learns from a refusal. It reports whether the request is worth another try, which it is at most a few times in a chat. takeBack is called
// before the conversation changes, since what was shown of the reply does not become part of it.
func (t *turn) adapt(ctx context.Context, err error, takeBack func()) bool {
	kind := provider.AsError(err).Kind
	k := t.known
	switch {
	case kind == provider.KindNoTools && len(t.tools.specs) > 0:
		t.dropTools(provider.AsError(err).Hint)
		return true
	case kind == provider.KindNoThinking && !k.noThink:
		k.noThink = true
		t.notice("%s does not let its thinking be switched; it goes on in its own way.", t.chat.Name)
		return true
	case kind == provider.KindTooLong:
		return t.tooLong(ctx, takeBack)
	}
	return false
}

// tooLong takes a larger context, and where there is none makes the conversation shorter. The server has counted better than the estimate.
func (t *turn) tooLong(ctx context.Context, takeBack func()) bool {
	k := t.known
	if k.double() {
		return true
	}
	if t.history.shortened++; t.history.shortened > 3 {
		return false
	}
	k.scale = min(max(k.scale, 1)*1.5, mostScale)
	done, err := t.compact(ctx, waysToCompact(t.history.messages), t.roomy(), takeBack)
	if !done && err == nil {
		return t.cutResults(takeBack)
	}
	return err == nil
}

// cutResults halves what the tools gave in the last round, when nothing else makes room: text of few letters has more tokens than any estimate
// says.
func (t *turn) cutResults(takeBack func()) bool {
	shorter := slices.Clone(t.history.messages)
	cut := false
	for i := lastRound(shorter); i < len(shorter); i++ {
		if m := &shorter[i]; m.Role == provider.RoleTool && len(m.Text) > 2*provider.SmallestResult {
			m.Text, cut = provider.Trim(m.Text, len(m.Text)/2)
		}
	}
	if cut {
		takeBack()
		t.history.messages, t.history.view = shorter, nil
	}
	return cut
}

// count adds what the server measured for a reply.
func (t *turn) count(req provider.Request, u provider.Usage) {
	r := &t.result
	plain := provider.Estimate(req.Spoken(), req.Tools)
	if t.known.calibrate(plain, req.Context, u.PromptTokens) {
		t.noticeOnce("The model server seems to have left out the beginning of the conversation: it read %s of about %s tokens. "+
			"Use /compact, set a larger context, or update the server.", quantity.Count(u.PromptTokens), quantity.Count(t.known.scaled(plain)))
	}
	t.known.read = t.known.scaled(plain)
	used := t.known.read
	if u.PromptTokens > 0 {
		used = u.PromptTokens
	}
	r.Usage.PromptTokens += u.PromptTokens
	r.Usage.AnswerTokens += u.AnswerTokens
	t.emit(provider.Replied{Usage: u})
	r.Usage.ContextUsed = used + u.AnswerTokens
	r.Usage.ContextSize = req.Context
	r.Timing.Load += u.Load.Milliseconds()
	r.Timing.Prompt += u.Prompt.Milliseconds()
	r.Timing.Answer += u.Answer.Milliseconds()
}

// ask gets one reply from the model: next makes the request. A refusal of something that the turn can do without leads to
// another request. failed is the title of the tool whose failure is the last news of the conversation, or "".
func (t *turn) ask(ctx context.Context, failed string, next func() provider.Request) (reply, error) {
	for {
		req := next()
		r, err := t.stream(ctx, req, failed)
		if err == nil || ctx.Err() != nil {
			return r, err
		}
		takeBack := func() { // what the reply has said is withdrawn once
			if r.said() {
				t.emit(provider.Withdrawn{})
				r = reply{}
			}
		}
		if !t.adapt(ctx, err, takeBack) {
			return r, err
		}
		takeBack()
	}
}

// said reports whether a reader has seen something of the reply.
func (r reply) said() bool {
	return strings.TrimSpace(r.Text) != "" || strings.TrimSpace(r.Thinking) != ""
}
