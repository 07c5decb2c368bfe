package provider

import (
	"fmt"
	"slices"

	"github.com/aloudchat/aloud/status"
)

// request is what the model gets next: always the same system prompt and tools in the same order, then the conversation, which only grows.
// So the server's prompt cache has all but what is new. extra is said once and not kept.
func (t *turn) request(tools []ToolSpec, extra ...Message) Request {
	if t.sent == nil {
		t.sent = sendable(system(len(t.specs) > 0, t.chat.System), t.messages)
	}
	messages := append(slices.Clip(t.sent), extra...)
	req := Request{Model: t.chat.Name, Messages: messages, Tools: tools, Think: t.think()}
	req.Context = t.fit(estimate(messages, tools))
	return req
}

func (t *turn) think() Think {
	if t.known.noThink {
		return ThinkAuto
	}
	return t.chat.Think
}

// fit is the budget check: it chooses the context for need tokens, and says so once when no context holds them.
func (t *turn) fit(need int) int {
	k := t.known
	limit := largestWindow(t.chat.Context, k.info)
	if t.chat.Context > 0 {
		k.window = limit
	} else {
		k.window = window(need, k.window, limit)
	}
	t.fresh = need - k.read
	if need > k.window && !k.overfull {
		k.overfull = true
		t.emit(Notice{fmt.Sprintf("The conversation has about %s tokens, but the context of the model holds %s: it may not fit.", status.Count(need), status.Count(k.window))})
	}
	return k.window
}

// adapt learns from a refusal. It tells whether the request is worth another try, which it is at most a few times in a chat.
func (t *turn) adapt(err error) bool {
	kind, _ := kindOf(err)
	k := t.known
	switch {
	case kind == KindNoTools && len(t.specs) > 0:
		t.dropTools()
		return true
	case kind == KindNoThinking && !k.noThink:
		k.noThink = true
		t.emit(Notice{fmt.Sprintf("%s does not let its thinking be switched; it goes on in its own way.", t.chat.Name)})
		return true
	case kind == KindTooLong && t.chat.Context == 0 && k.window < largestWindow(0, k.info):
		k.window = min(2*k.window, largestWindow(0, k.info))
		return true
	}
	return false
}

// dropTools goes on without tools, and says so once for a model.
func (t *turn) dropTools() {
	t.tools, t.specs, t.sent = nil, nil, nil
	if !t.known.noTools {
		t.known.noTools = true
		t.emit(Notice{fmt.Sprintf("%s cannot use tools; the chat goes on without them.", t.chat.Name)})
	}
}

// count adds what the server measured for a reply.
func (t *turn) count(req Request, u Usage) {
	r := &t.result
	need := estimate(req.Messages, req.Tools)
	t.known.read = need
	if u.PromptTokens > 0 {
		need = u.PromptTokens
	}
	r.Usage.PromptTokens += u.PromptTokens
	r.Usage.AnswerTokens += u.AnswerTokens
	r.Usage.ContextUsed = need + u.AnswerTokens
	r.Usage.ContextSize = req.Context
	r.Timing.Load += u.Load.Milliseconds()
	r.Timing.Prompt += u.Prompt.Milliseconds()
	r.Timing.Answer += u.Answer.Milliseconds()
}
