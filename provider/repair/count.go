package repair

import (
	"context"
	"fmt"
	"iter"
	"slices"
	"strings"

	"github.com/aloudchat/aloud/provider"
)

// Counting is With, and calls acted with the name of each defence that changed a reply or requested it again, once for
// each reply of the defence that got to its end.
func Counting(acted func(defence string), defences ...Defence) Wrap {
	counted := slices.Clone(defences)
	for i, d := range defences {
		counted[i].repair = func(ctx context.Context, req request, m model, yield yieldFunc) {
			inner, outer := &heard{model: m}, content{}
			whole := true
			d.repair(ctx, req, inner, func(c provider.Chunk, err error) bool {
				outer.add(c)
				whole = yield(c, err)
				return whole
			})
			if (whole || outer.ended) && (inner.requests > 1 || outer.String() != inner.String()) {
				acted(d.Name)
			}
		}
	}
	return With(counted...)
}

// heard is a model whose last reply is noted.
type heard struct {
	model
	requests int
	content
}

func (h *heard) Chat(ctx context.Context, req request) iter.Seq2[provider.Chunk, error] {
	return func(yield func(provider.Chunk, error) bool) {
		h.requests++
		h.content = content{}
		for c, err := range h.model.Chat(ctx, req) {
			h.add(c)
			if !yield(c, err) {
				return
			}
		}
	}
}

// content is what a reply says in the end.
type content struct {
	received
	calls  []string
	reason string
	ended  bool
}

func (r *content) add(c provider.Chunk) {
	r.received.add(c)
	if c.Withdraw == provider.WithdrawAll {
		r.calls = nil
	}
	for _, call := range c.Calls {
		r.calls = append(r.calls, fmt.Sprintf("%s %d %q", call.Name, len(call.Repairs), call.Complaint))
	}
	r.reason, r.ended = c.Reason, c.Done
}

func (r *content) String() string {
	return fmt.Sprintf("%q %q %q %s", strings.TrimSpace(r.text.String()), strings.TrimSpace(r.thinking.String()),
		r.calls, r.reason)
}
