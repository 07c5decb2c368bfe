package loop

import (
	"context"
	"errors"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/aloudchat/aloud/provider"
)

// When to ask for a sentence about a running tool. A server finishes reading a request before it notices the
// cancellation, so a late request delays the next round.
const (
	patience     = 150 * time.Millisecond  // minimum run time of a tool
	asideRead    = 150                     // new tokens of such a request, about
	asideWritten = 10                      // tokens of its answer, about
	costliest    = 1500 * time.Millisecond // a slower sentence would come too late
)

// sentences returns a function that asks the model about the running calls, and how long to wait before calling it. ask
// is nil if that would invalidate the server's prompt cache.
func (r *round) sentences() (ask func(context.Context, string) (string, error), wait time.Duration) {
	if !r.mayAskQuick() {
		return nil, 0
	}
	wait = patience
	if !r.chat.hasStatusModel() {
		wait = max(patience, 2*r.known.takes(asideRead, asideWritten))
	}
	req, messages := r.reply.request, slices.Clip(r.toSend())
	for _, call := range r.history.view.Open() { // the next round begins with the same messages
		running := provider.Message{Role: provider.RoleTool, CallID: call.ID, Tool: call.Name, Text: "(still running)"}
		messages = append(messages, running)
	}
	req.Messages = messages
	chat, info := r.chat, r.known.info
	return func(ctx context.Context, prompt string) (string, error) {
		quick := chat.quickRequest(req, info, prompt)
		said, usage, err := chat.askQuick(ctx, quick)
		r.asides.add(aside{quick, usage})
		return said, err
	}, wait
}

// asides are the requests for sentences since the last reply. The zero value is ready to use.
type asides struct {
	any  bool // there were some
	mu   sync.Mutex
	done []aside
}

// aside is a request for a sentence and what the server measured.
type aside struct {
	request provider.Request
	usage   provider.Usage
}

// add records a request. Safe for concurrent use.
func (a *asides) add(done aside) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.done = append(a.done, done)
}

// measureAsides adds the measurements of requests for sentences to the turn.
func (t *turn) measureAsides() {
	t.asides.mu.Lock()
	done := t.asides.done
	t.asides.done = nil
	t.asides.mu.Unlock()
	t.asides.any = t.asides.any || len(done) > 0
	for _, a := range done {
		if k := t.chat.of(a.request.Model); a.usage != (provider.Usage{}) {
			if t.measure(k, k.foresee(a.request), a.usage) && k == t.known {
				k.costlyAsides = true
				k.book.NoteCostlyAsides(k.name)
			}
		}
	}
}

// hasStatusModel reports whether the sentences have their own model. The chat's model would be reloaded with the small
// context of a sentence.
func (c Chat) hasStatusModel() bool {
	return c.StatusModel != "" && !provider.SameModel(c.StatusModel, c.Name)
}

// mayAskQuick reports whether a request for a sentence is fast enough and preserves the prompt cache for the next
// round. Whether to think is part of the prompt, so a model that thinks in its turn cannot be asked without thinking.
func (r *round) mayAskQuick() bool {
	switch {
	case r.chat.hasStatusModel():
		return true
	case r.known.info.Uncut, r.known.costlyAsides, r.known.book.CostlyAsides(r.known.name):
		return false // the server would read the prompt again
	case r.known.takes(asideRead, asideWritten) > costliest:
		return false
	case r.known.info.Thinking:
		return r.reply.request.Think == provider.ThinkOff
	}
	return r.reply.Thinking == ""
}

// quickRequest returns a request for a few words. It repeats the turn so far and appends the prompt, so the server's
// cache still fits the next round. Another status model has nothing cached and gets only the prompt.
func (c Chat) quickRequest(req provider.Request, info provider.Info, prompt string) provider.Request {
	message := provider.Message{Role: provider.RoleUser, Text: prompt}
	last := len(req.Messages) - 1
	switch {
	case c.hasStatusModel():
		req.Model, req.Messages, req.Tools, req.Context = c.StatusModel, []provider.Message{message}, nil, smallestWindow
	case info.Thinking && req.Messages[last].Role == provider.RoleTool:
		// Templates such as qwen3's put a no-thinking mark after the last user message. It must not move.
		req.Messages = slices.Clone(req.Messages)
		req.Messages[last].Text += "\n\n" + prompt
	default:
		req.Messages = provider.AppendUser(req.Messages, message)
	}
	cold := 0.0
	req.Purpose, req.Think, req.MaxTokens, req.Temperature = provider.ForSentence, provider.ThinkOff, 20, &cold
	return req
}

// askQuick asks for a sentence. usage is zero if the server has not reported it.
func (c Chat) askQuick(ctx context.Context, req provider.Request) (_ string, usage provider.Usage, _ error) {
	var said strings.Builder
	for chunk, err := range c.chunks(ctx, req) {
		if err != nil {
			return "", usage, err
		}
		if chunk.Usage != (provider.Usage{}) {
			usage = chunk.Usage
		}
		said.WriteString(chunk.Text)
		// A longer sentence is shown with an ellipsis.
		if chunk.Reason == provider.ReasonLength && len(strings.Fields(said.String())) <= 10 {
			return "", usage, errors.New("the sentence broke off")
		}
	}
	return said.String(), usage, nil
}
