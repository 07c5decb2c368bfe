package loop

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"github.com/aloudchat/aloud/internal/quantity"
	"github.com/aloudchat/aloud/provider"
	"github.com/aloudchat/aloud/provider/event"
	"github.com/aloudchat/aloud/provider/repair"
)

// request returns the next request. It begins with the same system prompt and tools every time, so that the server has
// cached all but the new messages. hint is added only to this request.
func (t *turn) request(tools []provider.ToolSpec, hint string) provider.Request {
	messages := slices.Clip(t.toSend())
	if hint != "" {
		messages = provider.AppendUser(messages, provider.Message{Role: provider.RoleUser, Text: valid(hint)})
	}
	return provider.Request{
		Model: t.chat.Name, Messages: messages, Tools: tools, Think: t.known.think(t.chat.Think),
		Context: t.fit(t.known.size(messages, tools)), Temperature: t.chat.Temperature,
	}
}

// forRepair returns what package repair needs to know about a request with these tools.
func (t *turn) forRepair(tools []provider.ToolSpec) repair.Known {
	known := repair.Known{
		Question: t.question(), ThinkLess: t.known.thinkLess(), ThinkingTokens: t.limits.ThinkingTokens,
	}
	if len(tools) == 0 {
		known.Withheld = t.tools.specs
	}
	return known
}

// question returns the last message that you typed, or all of a message that you only pasted.
func (t *turn) question() string {
	for _, m := range slices.Backward(t.history.messages) {
		if m.IsQuestion() {
			if typed := m.Typed(); strings.TrimSpace(typed) != "" {
				return typed
			}
			return m.Text
		}
	}
	return ""
}

// toSend returns the conversation for the model.
func (t *turn) toSend() []provider.Message {
	return t.history.sent(t.systemPrompt())
}

// need estimates the tokens of the next request.
func (t *turn) need() int { return t.known.size(t.toSend(), t.tools.specs) }

// fit returns the context for need tokens, and warns once if none is large enough.
func (t *turn) fit(need int) int {
	window := t.known.widen(need)
	if need > window {
		t.noticeOnce("The conversation may not fit: it has about %s tokens, and the context window %s",
			quantity.Count(need), t.known.sized(window))
	}
	return window
}

// noticeOnce shows a notice about the model once.
func (t *turn) noticeOnce(format string, args ...any) {
	if !t.known.shown[format] {
		t.known.shown[format] = true
		t.notice(format, args...)
	}
}

// adapt learns from a refusal of req and reports whether to try again. It calls takeBack before it changes the
// conversation, since the text shown so far does not become part of it.
func (t *turn) adapt(ctx context.Context, req provider.Request, err error, takeBack func()) bool {
	e, k := provider.AsError(err), t.known
	kind := e.Kind
	switch {
	case kind == provider.KindNoTools && len(t.tools.specs) > 0:
		t.dropTools(e.Hint)
		_ = k.describe(ctx, t.chat.Model) // only needed to remember it
		return true
	case kind == provider.KindNoThinking && !k.noThink:
		k.noThink = true
		t.notice("Thinking cannot be turned on or off for %s", t.chat.Name)
		return true
	case kind == provider.KindTooLong:
		return t.tooLong(ctx, req, e, takeBack)
	}
	return false
}

// count notes the size of a request as the server counted it.
func (t *turn) count(p prospect, u provider.Usage) {
	if t.known.calibrate(p, u) {
		t.noticeOnce("The model server seems to have dropped the beginning of the conversation: "+
			"it read %s of about %s tokens. Use /compact, set a larger context, or update the server.",
			quantity.Count(u.PromptTokens), quantity.Count(p.size))
	}
	used := cmp.Or(u.PromptTokens, p.size)
	window := p.window
	if k := t.known; k.info.Fixed && k.info.Context > 0 && u.PromptTokens > window { // it was started with a larger one
		k.info.Context, k.reported = 0, 0
		window = k.limit()
	}
	t.emit(event.Replied{Usage: u})
	t.result.Usage.ContextUsed = used + u.AnswerTokens
	t.result.Usage.ContextSize, t.result.Usage.ContextAssumed = window, t.known.sized(window).Assumed
}

// ask gets one reply from the model. It calls next for the request, and again after a refusal that the turn can adapt
// to. failed is the title of the last failed tool in the request, or "".
func (t *turn) ask(ctx context.Context, failed string, next func() provider.Request) (reply, error) {
	for {
		req := next()
		r, err := t.stream(ctx, req, failed)
		if err == nil || ctx.Err() != nil {
			return r, err
		}
		takeBack := func() { // withdraws the shown part of the reply, once
			if strings.TrimSpace(r.Text+r.Thinking) != "" {
				t.emit(event.Withdrawn{})
				r = reply{}
			}
		}
		if !t.adapt(ctx, req, err, takeBack) {
			return r, err
		}
		takeBack()
	}
}
