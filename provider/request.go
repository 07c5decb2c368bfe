package provider

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"github.com/aloudchat/aloud/provider/window"
	"github.com/aloudchat/aloud/status"
)

const (
	mostScale = 4   // how far off an estimate can be: about so far for a model whose tokens are single bytes
	preamble  = 256 // tokens that the templates of some models say of their own in every request, however short it is
)

// request is what the model gets next: always the same system prompt and tools in the same order, then the conversation, which only grows.
// So the server's prompt cache has all but what is new.
// hint is said to the model this once.
func (t *turn) request(tools []ToolSpec, hint string) Request {
	messages := slices.Clip(t.toSend())
	if k := t.known; k.toolless != (len(tools) == 0) { // they stand at the beginning of a prompt: all behind them is read again
		k.toolless = len(tools) == 0
		k.forget()
	}
	req := Request{
		Model: t.chat.Name, Messages: messages, Tools: tools, Think: t.think(), ThinkLess: t.thinkLess(), ThinkingTokens: t.limits.ThinkingTokens,
		Hint: hint,
	}
	if len(tools) == 0 {
		req.Withheld = t.specs
	}
	if yes, window := t.chat.asides.disturbed(req.Model); yes && !t.known.info.Asides {
		t.known.forget()
		t.known.window = max(t.known.window, min(window, t.limit())) // as the server has it now
	}
	req.Context = t.fit(t.scaled(estimate(req.spoken(), tools)))
	t.chat.asides.use(inUse{t.chat.Model, req.Model, req.Context, t.chat.Context})
	return req
}

// toSend is the conversation as the model gets it.
func (t *turn) toSend() []Message {
	if t.view == nil {
		t.view = viewOf(t.systemPrompt(), t.messages, t.now)
	}
	return t.view.sent
}

func (t *turn) think() Think {
	if t.known.noThink || t.known.info.CannotThink() {
		return ThinkAuto
	}
	return t.chat.Think
}

// thinkLess asks for a reply without thinking, where the model can do that.
func (t *turn) thinkLess() Think {
	if t.known.noThink || !t.known.info.Thinking {
		return ThinkAuto
	}
	return ThinkOff
}

// need is about how many tokens the next request has.
func (t *turn) need() int { return t.scaled(estimate(t.toSend(), t.specs)) }

// needWith is need after another message.
func (t *turn) needWith(m Message) int {
	return t.scaled(estimate(viewOf(t.systemPrompt(), append(slices.Clip(t.messages), m), t.now).sent, t.specs))
}

// scaled corrects an estimate by what the server counted for this model.
func (t *turn) scaled(estimate int) int { return int(float64(estimate) * max(t.known.scale, 1)) }

// limit is the most that the context may grow to. Servers make none longer than the model was trained for, whatever is fixed. What is in memory
// already has room there.
func (t *turn) limit() int {
	limit := t.chat.largestWindow(t.known.info)
	if t.fixed() {
		return limit
	}
	return max(limit, t.known.window)
}

func (c *Chat) largestWindow(info Info) int {
	if c.Context > 0 {
		return min(c.Context, cmp.Or(info.Context, c.Context))
	}
	return cmp.Or(window.Affordable(info.Context, info.PerToken, info.Memory), window.UnknownWindow)
}

// widen chooses the context for a request of need tokens. It is the same for all that is asked of a model, whatever for, until more is needed.
func (t *turn) widen(need int) int {
	k := t.known
	if t.fixed() {
		k.window = t.limit()
	} else {
		k.window = window.Window(need, k.window, t.limit())
	}
	return k.window
}

// fit is the budget check: it says once when no context holds need tokens.
func (t *turn) fit(need int) int {
	k := t.known
	t.widen(need)
	t.fresh = need - k.read
	if need > k.window && !k.overfull {
		k.overfull = true
		t.notice("The conversation has about %s tokens, but the context of the model holds %s: it may not fit.", status.Count(need), status.Count(k.window))
	}
	return k.window
}

// adapt learns from a refusal. It tells whether the request is worth another try, which it is at most a few times in a chat. takeBack is called
// before the conversation changes, since what was shown of the reply does not become part of it.
func (t *turn) adapt(ctx context.Context, err error, takeBack func()) bool {
	kind, _ := kindOf(err)
	k := t.known
	switch {
	case kind == KindNoTools && len(t.specs) > 0:
		t.dropTools(asError(err).Hint)
		return true
	case kind == KindNoThinking && !k.noThink:
		k.noThink = true
		t.notice("%s does not let its thinking be switched; it goes on in its own way.", t.chat.Name)
		return true
	case kind == KindTooLong:
		return t.tooLong(ctx, takeBack)
	}
	return false
}

// tooLong takes a larger context, and where there is none makes the conversation shorter. The server has counted better than the estimate.
func (t *turn) tooLong(ctx context.Context, takeBack func()) bool {
	k := t.known
	if k.window < t.limit() {
		k.window = min(2*k.window, t.limit())
		return true
	}
	if t.shortened++; t.shortened > 3 {
		return false
	}
	k.scale = min(max(k.scale, 1)*1.5, mostScale)
	summary, found := t.shorter(waysToCompact(t.messages), int(roomyAt*float64(t.limit())))
	if !found {
		return t.cutResults(takeBack)
	}
	takeBack()
	return t.compact(ctx, summary) == nil
}

// cutResults halves what the tools gave in the last round, and what is attached to the last question, when nothing else can make room: text of few
// letters has more tokens than any estimate.
func (t *turn) cutResults(takeBack func()) bool {
	shorter := slices.Clone(t.messages)
	cut := false
	for i := lastRound(shorter); i < len(shorter); i++ {
		if m := &shorter[i]; m.Role == RoleTool && len(m.Text) > 2*window.SmallestResult {
			m.Text, _ = window.Trim(m.Text, len(m.Text)/2)
			cut = true
		}
	}
	if i := lastQuestion(shorter); i >= 0 {
		m := &shorter[i]
		m.Attached = slices.Clone(m.Attached)
		for k := range m.Attached {
			if a := &m.Attached[k]; len(a.Text) > 2*window.SmallestResult {
				a.Text, _ = window.Trim(a.Text, len(a.Text)/2)
				a.Cut, cut = true, true
			}
		}
	}
	if cut {
		takeBack()
		t.messages, t.view = shorter, nil
	}
	return cut
}

// dropTools goes on without tools, and says so once for a model, with what can be done about it.
func (t *turn) dropTools(hint string) {
	t.tools, t.specs, t.view = nil, nil, nil
	if !t.known.noTools {
		t.known.noTools = true
		said := fmt.Sprintf("%s cannot use tools; the chat goes on without them.", t.chat.Name)
		if hint != "" {
			said += " To use them: " + hint + "."
		}
		t.notice("%s", said)
	}
}

// count adds what the server measured for a reply.
func (t *turn) count(req Request, u Usage) {
	r := &t.result
	plain := estimate(req.spoken(), req.Tools)
	t.calibrate(plain, req.Context, u.PromptTokens)
	t.known.read = t.scaled(plain)
	used := t.known.read
	if u.PromptTokens > 0 {
		used = u.PromptTokens
	}
	r.Usage.PromptTokens += u.PromptTokens
	r.Usage.AnswerTokens += u.AnswerTokens
	if u.AnswerTokens > 0 { // the server knows better than who counts the pieces
		t.line.Tokens = t.counted + u.AnswerTokens
	}
	r.Usage.ContextUsed = used + u.AnswerTokens
	r.Usage.ContextSize = req.Context
	r.Timing.Load += u.Load.Milliseconds()
	r.Timing.Prompt += u.Prompt.Milliseconds()
	r.Timing.Answer += u.Answer.Milliseconds()
}

// calibrate learns from the server's count how far off the estimate is. Only a larger count teaches: servers may leave out of it what they had
// in their cache. A count far below a request that should have filled the context means that the server cut it without a word, which older
// ones do.
func (t *turn) calibrate(estimated, window, counted int) {
	k := t.known
	if theirs := counted - preamble; theirs > estimated && estimated > 0 {
		t.scale = max(t.scale, min(float64(theirs)/float64(estimated), mostScale))
		k.scale = max(k.scale, t.scale)
	}
	if need := t.scaled(estimated); counted > 0 && k.read == 0 && need > window && counted < window*3/4 && !k.truncated {
		k.truncated = true
		t.notice("The model server seems to have left out the beginning of the conversation: it read %s of about %s tokens. "+
			"Use /compact, set a larger context, or update the server.", status.Count(counted), status.Count(need))
	}
}

// estimate is how many tokens the messages and tools will cost. It looks at lengths only, so a long conversation costs no more than a short one.
func estimate(messages []Message, tools []ToolSpec) int {
	sum := 0
	for i := range messages {
		sum += messages[i].estimate()
	}
	for i := range tools {
		sum += tools[i].estimate()
	}
	return sum
}

func (m *Message) estimate() int {
	n := len(m.Text) + len(m.Thinking) + len(m.Tool)
	for _, call := range m.Calls {
		n += len(call.Name) + len(call.Arguments)
	}
	return window.Markup + window.Tokens(n) + window.Image*len(m.Images)
}
