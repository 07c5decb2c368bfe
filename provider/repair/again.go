package repair

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"slices"
	"strings"

	"github.com/aloudchat/aloud/provider"
	"github.com/aloudchat/aloud/sanitize"
)

// retry asks again for a reply that broke off or that the server could not read: first with the same request, then with
// a hint about what went wrong. If no attempt succeeds, the longest one counts.
func retry(ctx context.Context, req provider.Request, m provider.Model, yield func(provider.Chunk, error) bool) {
	best := &said{}
	for attempt := 1; ; attempt++ {
		now := &said{}
		done, ok, err := now.pass(m.Chat(ctx, req), yield)
		if !ok {
			return
		}
		attempts := attemptsFor(err, now)
		last := attempt >= attempts || ctx.Err() != nil
		better := now.any() && now.size() >= best.size()
		if err == nil || last && (better || !best.any()) {
			yield(done, err)
			return
		}
		if (now.any() || now.called) && !yield(provider.Chunk{Withdraw: provider.WithdrawAll}, nil) {
			return
		}
		if last {
			_ = yield(provider.Chunk{Thinking: best.thought.String()}, nil) && yield(provider.Chunk{Text: best.text.String()}, nil) &&
				yield(provider.Chunk{}, err)
			return
		}
		if better {
			best = now
		}
		if !yield(provider.Chunk{Phase: provider.PhaseRetrying, Attempt: attempt + 1, Attempts: attempts}, nil) {
			return
		}
		if attempt+1 == attempts && attempts > 2 {
			req = hinted(req, mishap(err))
		}
	}
}

func (s *said) size() int { return s.text.Len() + s.thought.Len() }

func (s *said) any() bool { return !blank(&s.text) || !blank(&s.thought) }

// attemptsFor returns how often to ask, in all, for a reply that ended with err. There are three attempts for one that
// the server could not read or that ended early, and two if the connection broke before any text.
func attemptsFor(err error, so *said) int {
	e, ok := errors.AsType[*provider.Error](err)
	switch {
	case !ok:
	case e.Kind == provider.KindMalformed, e.Kind == provider.KindBroken && e.Err == nil:
		return 3
	case e.Kind == provider.KindBroken && !so.any():
		return 2
	}
	return 1
}

// mishap tells the model what was wrong with its last reply.
func mishap(err error) string {
	if e, ok := errors.AsType[*provider.Error](err); ok && e.Kind == provider.KindMalformed {
		return fmt.Sprintf("Your last tool call could not be read: %s. Make the call again with arguments in valid JSON, or answer without it.",
			sanitize.Cut(e.Text, 500))
	}
	return "Your last reply broke off before it was done. Answer again, briefly, without repeating yourself."
}

// hinted adds a hint to a request.
func hinted(req provider.Request, text string) provider.Request {
	req.Hint = strings.TrimSpace(req.Hint + "\n\n" + text)
	return req
}

// swallowed is the number of tokens from which an empty reply was probably a call that the server could not read.
const swallowed = 4

// fillEmpty replaces an empty reply. Some servers silently drop calls that they cannot read, so the model is first told
// that nothing arrived. Then it is asked to answer without tools and thinking, unless that was the request already. If
// that fails, too, its last text in this turn is the answer.
func fillEmpty(ctx context.Context, req provider.Request, m provider.Model, yield func(provider.Chunk, error) bool) {
	var so said
	done, ok, err := so.pass(m.Chat(ctx, req), yield)
	if ok && err == nil && so.nothing() && lost(req, &so, done) {
		ok = yield(provider.Chunk{Usage: done.Usage}, nil) &&
			yield(provider.Chunk{Notice: "The reply was empty, perhaps a tool call that the server could not read. The model is asked again."}, nil)
		if ok {
			done, ok, err = so.pass(m.Chat(ctx, hinted(req, fmt.Sprintf("Nothing of your reply arrived. If you called a tool, use one of these "+
				"names and arguments in valid JSON: %s. Otherwise answer in words.", toolNames(req)))), yield)
		}
	}
	if ok && err == nil && so.nothing() && len(req.Withheld) == 0 {
		if !yield(provider.Chunk{Usage: done.Usage}, nil) {
			return
		}
		last := hinted(req, "Your answer was empty. Answer the question now, in words, from what you know and have found out.")
		last.Think = req.ThinkLess
		if len(req.Tools) > 0 {
			last.Tools, last.Withheld = nil, req.Tools
		}
		done, ok, err = so.pass(withoutCalls(m.Chat(ctx, last)), yield)
		if before := lastText(req.Messages); ok && ctx.Err() == nil && so.nothing() && before != "" {
			done, err = provider.Chunk{Done: true, Reason: "stop", Usage: done.Usage}, nil
			ok = yield(provider.Chunk{Notice: "The model gave an empty answer; this is what it had said before."}, nil) &&
				yield(provider.Chunk{Text: before}, nil)
		} else if err == nil && so.nothing() {
			done.Reason = provider.ReasonEmpty
		}
	}
	if ok {
		yield(done, err)
	}
}

// lost reports whether an empty reply may have had a call. A model that has only thought about its tools' results has
// made none, and one that ran out of context has not finished.
func lost(req provider.Request, so *said, done provider.Chunk) bool {
	n := len(req.Messages)
	return len(req.Tools) > 0 && done.Usage.AnswerTokens >= swallowed && done.Reason != "length" && done.Reason != provider.ReasonCut &&
		!(!blank(&so.thought) && n > 0 && req.Messages[n-1].Role == provider.RoleTool)
}

// withoutCalls drops the calls of a reply for which no tools were offered.
func withoutCalls(chunks iter.Seq2[provider.Chunk, error]) iter.Seq2[provider.Chunk, error] {
	return func(yield func(provider.Chunk, error) bool) {
		for c, err := range chunks {
			c.Calls = nil
			if !yield(c, err) {
				return
			}
		}
	}
}

// toolNames lists the tools, as many as fit into a hint.
func toolNames(req provider.Request) string {
	var names []string
	size := 0
	for _, tool := range req.Tools {
		if size += len(tool.Name) + 2; size > 1000 {
			return strings.Join(names, ", ") + ", …"
		}
		names = append(names, tool.Name)
	}
	return strings.Join(names, ", ")
}

// lastText returns the last text of the model in this turn.
func lastText(messages []provider.Message) string {
	for _, m := range slices.Backward(messages) {
		if m.Role == provider.RoleUser {
			break
		}
		if m.Role == provider.RoleAssistant && strings.TrimSpace(m.Text) != "" {
			return m.Text
		}
	}
	return ""
}
