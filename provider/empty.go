package provider

import (
	"context"
	"fmt"
	"slices"
	"strings"
)

// swallowed is from how many tokens on a reply without a word is taken for a call that the server could not read and dropped.
const swallowed = 4

// secondChance asks once more for a reply of which nothing arrived. Servers drop calls that they cannot read or whose tool they do not know
// without a word, and the model does not know that it was not heard. It is said once in a turn. A model that has only thought about the results
// of its tools has called none, and one whose context is full has not finished.
func (t *turn) secondChance(ctx context.Context, r reply) (reply, error) {
	if !r.empty() || t.reminded || len(t.specs) == 0 || r.tokens < swallowed || !t.chat.defends(fillEmpty) {
		return r, nil
	}
	if r.cut || r.said() && t.result.Rounds > 0 {
		return r, nil
	}
	t.reminded = true
	t.notice("The reply was empty, perhaps a tool call that the server could not read. The model is asked again.")
	hint := Message{Role: RoleUser, Text: valid(fmt.Sprintf("Nothing of your reply arrived. If you called a tool, use one of these names and arguments in valid JSON: %s. "+
		"Otherwise answer in words.", t.toolNames()))}
	return t.ask(ctx, r.Thinking, func(extra ...Message) Request { return t.request(t.specs, append([]Message{hint}, extra...)...) })
}

// toolNames lists the tools, as many as a hint has room for.
func (t *turn) toolNames() string {
	var names []string
	size := 0
	for _, spec := range t.specs {
		if size += len(spec.Name) + 2; size > 1000 {
			return strings.Join(names, ", ") + ", …"
		}
		names = append(names, spec.Name)
	}
	return strings.Join(names, ", ")
}

// fill gets an answer in place of an empty one: from one more request, without tools and without thinking, else it is the last text that the model
// wrote in this turn. When there is none either, the reply says why. An error is that of an answer which broke off, or ctx's.
func (t *turn) fill(ctx context.Context, r reply) (reply, error) {
	hint := Message{Role: RoleUser, Text: "Your answer was empty. Answer the question now, in words, from what you know and have found out."}
	again, err := t.ask(ctx, r.Thinking, func(extra ...Message) Request {
		req := t.request(nil, append([]Message{hint}, extra...)...)
		req.Think = t.thinkLess()
		return req
	})
	again.Calls = nil // none were offered
	if !again.empty() || err != nil && ctx.Err() != nil {
		return again, err
	}
	if text := t.lastText(); text != "" {
		t.notice("The model gave an empty answer; this is what it had said before.")
		again.Text, again.Partial = text, false
		t.emit(Text{text})
		return again, nil
	}
	switch {
	case err != nil:
		again.why = "the model gave an empty answer, and asking again failed: " + asError(err).Text
	case strings.TrimSpace(again.Thinking) != "":
		again.why = "the model only thought and gave no answer, also when it was asked again"
	default:
		again.why = "the model gave an empty answer, also when it was asked again"
	}
	return again, nil
}

// lastText is the last thing that the model said in this turn.
func (t *turn) lastText() string {
	for _, m := range slices.Backward(t.messages) {
		if m.Role == RoleUser {
			break
		}
		if m.Role == RoleAssistant && strings.TrimSpace(m.Text) != "" {
			return m.Text
		}
	}
	return ""
}

// empty tells a reply that neither answers nor calls. One that only says that the model gives up is an answer.
func (r reply) empty() bool { return !r.gaveUp && len(r.Calls) == 0 && strings.TrimSpace(r.Text) == "" }
