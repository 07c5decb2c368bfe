package repair

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/aloudchat/aloud/internal/sanitize"
	"github.com/aloudchat/aloud/provider"
)

// retry repeats a request whose reply broke off or could not be parsed by the server: first unchanged, then with a hint
// about the error. If every attempt fails, the longest reply is used.
func retry(ctx context.Context, req request, m model, yield yieldFunc) {
	best := &received{}
	for attempt := 1; ; attempt++ {
		now := &received{}
		end, ok, err := now.forward(m.Chat(ctx, req), yield)
		if !ok {
			return
		}
		attempts := attemptsFor(err, now)
		last := attempt >= attempts || ctx.Err() != nil
		longer := now.size() >= best.size()
		if err == nil || last && longer {
			yield(end, err)
			return
		}
		if (now.size() > 0 || now.hasCalls) && !yield(provider.Chunk{Withdraw: provider.WithdrawAll}, nil) {
			return
		}
		if last {
			reply := []provider.Chunk{{Thinking: best.thinking.String()}, {Text: best.text.String()}}
			_ = yieldAll(reply, yield) && yield(provider.Chunk{}, err)
			return
		}
		if longer {
			best = now
		}
		if !yield(provider.Chunk{Phase: provider.PhaseRetrying, Attempt: attempt + 1, Attempts: attempts}, nil) {
			return
		}
		if attempt+1 == attempts && attempts > 2 {
			req = withHint(req, errorHint(err))
		}
	}
}

// size returns the length of the text and thinking without surrounding white space.
func (r *received) size() int {
	return len(strings.TrimSpace(r.text.String())) + len(strings.TrimSpace(r.thinking.String()))
}

// attemptsFor returns how many attempts a request gets in total after an attempt that ended with err.
func attemptsFor(err error, r *received) int {
	e, ok := errors.AsType[*provider.Error](err)
	switch {
	case !ok:
	case e.Kind == provider.KindMalformed, e.Kind == provider.KindBroken && e.Err == nil: // the model's mistake
		return 3
	case e.Kind == provider.KindBroken && r.size() == 0: // the connection was lost
		return 2
	}
	return 1
}

// errorHint returns a hint for the model about the error in its last reply.
func errorHint(err error) string {
	if e, ok := errors.AsType[*provider.Error](err); ok && e.Kind == provider.KindMalformed {
		return fmt.Sprintf("Your last tool call could not be read: %s. Make the call again with arguments in valid JSON, "+
			"or answer without it.", sanitize.Cut(e.Text, 500))
	}
	return "Your last reply broke off before it was done. Answer again, briefly, without repeating yourself."
}

func withHint(req request, text string) request {
	req.hint = strings.TrimSpace(req.hint + "\n\n" + text)
	return req
}

// minLostCall is the minimum number of tokens of an empty reply that may have been a call.
const minLostCall = 4

// fillEmpty replaces an empty reply. Some servers silently drop calls that they cannot parse, so the first hint is that
// nothing arrived. If that fails, it must answer without tools and thinking. If that is empty too, its last text in
// this turn is the answer.
func fillEmpty(ctx context.Context, req request, m model, yield yieldFunc) {
	var all received
	end, ok, err := all.forward(m.Chat(ctx, req), yield)
	empty := func() bool { return ok && err == nil && all.isEmpty() }
	again := func(req request, notices ...provider.Chunk) {
		if ok = yield(provider.Chunk{Usage: end.Usage}, nil) && yieldAll(notices, yield); ok {
			end, ok, err = all.forward(m.Chat(ctx, req), yield)
		}
	}
	if empty() && mayHaveLostCall(req, &all, end) {
		var names []string
		for _, tool := range req.Tools {
			names = append(names, tool.Name)
		}
		again(withHint(req, fmt.Sprintf("Your reply did not arrive. If you called a tool, use one of these names and "+
			"arguments in valid JSON: %s. Otherwise answer in words.", sanitize.Clip(strings.Join(names, ", "), 1000))),
			provider.Chunk{Notice: "The reply was empty. Its tool call may be lost, so the model was asked again."})
	}
	if empty() && len(req.Withheld) == 0 {
		final := withHint(req, "Your answer was empty. Answer the question now, from what you know and have found out.")
		final.Think = req.ThinkLess
		if len(req.Tools) > 0 {
			final.Tools, final.Withheld = nil, req.Tools
		}
		again(final)
		if earlier := lastText(req.Messages); empty() && ctx.Err() == nil && earlier != "" {
			if !provider.IsCut(end.Reason) {
				end.Reason = "stop"
			}
			notice := "The model's answer was empty. This is its previous text."
			ok = yieldAll([]provider.Chunk{{Notice: notice}, {Text: earlier}}, yield)
		} else if empty() && !provider.IsCut(end.Reason) {
			end.Reason = provider.ReasonEmpty
		}
	}
	if ok {
		yield(end, err)
	}
}

// mayHaveLostCall reports whether an empty reply may have contained a call. A reply that only thinks about tool
// results, or ran out of context, has none.
func mayHaveLostCall(req request, r *received, end provider.Chunk) bool {
	n := len(req.Messages)
	afterResult := n > 0 && req.Messages[n-1].Role == provider.RoleTool
	return len(req.Tools) > 0 && end.Usage.AnswerTokens >= minLostCall && !provider.IsCut(end.Reason) &&
		(blank(&r.thinking) || !afterResult)
}

// lastText returns the model's last text in this turn, or "".
func lastText(messages []provider.Message) string {
	for _, m := range slices.Backward(messages[provider.LastUser(messages)+1:]) {
		if m.Role == provider.RoleAssistant && strings.TrimSpace(m.Text) != "" {
			return m.Text
		}
	}
	return ""
}
