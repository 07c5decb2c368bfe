package loop

import (
	"cmp"
	"context"
	"fmt"
	"strings"
	"sync"
	"time"

	"github.com/aloudchat/aloud/provider"
	"github.com/aloudchat/aloud/provider/window"
	"github.com/aloudchat/aloud/quantity"
	"github.com/aloudchat/aloud/sanitize"
)

// Aside is a request beside the conversation: what a server wants the model to write.
type Aside struct {
	Messages  []provider.Message
	MaxTokens int // at most so many; has to be set
}

// Written is what the model wrote for an Aside.
type Written struct {
	Model  string
	Text   string // raw, without what was thought
	Cut    bool   // MaxTokens were written
	Tokens int    // read and written, as far as the server tells, else estimated
}

const (
	mostAside  = 5 * time.Minute
	tokenBytes = 16 // that a token has at most: some servers do not know MaxTokens
)

// asides is what requests beside the conversation have to know of it, and it of them. Its zero value is ready.
type asides struct {
	mu    sync.Mutex
	inUse inUse
	quiet chan struct{} // closed when the request of the conversation that is under way has ended; nil: there is none
	taken int           // the context of a request for which the server's cache was used since; 0: there was none
}

// inUse is the model that the conversation goes on with.
type inUse struct {
	model  provider.Model
	name   string
	window int // the context of its requests, 0: there were none yet
	chosen int // the context that was configured; 0: none
}

// Chosen says that Model and Name are those that the next turn will ask, which is when they were found or changed. A turn says it of itself.
func (c *Chat) Chosen() {
	c.asides.mu.Lock()
	defer c.asides.mu.Unlock()
	if now := c.asides.inUse; now.model != c.Model || now.name != c.Name {
		c.asides.inUse = inUse{c.Model, c.Name, 0, c.Context}
	}
}

// InUse is the name of the model that answers now; "" when none was asked or chosen yet. Safe for concurrent use, also during a turn.
func (c *Chat) InUse() string {
	c.asides.mu.Lock()
	defer c.asides.mu.Unlock()
	return c.asides.inUse.name
}

// Write has the model in use write something beside the conversation, in five minutes at most. It waits until the conversation itself wants
// nothing of the model: while a tool runs that is at once. Images are left out where the model cannot see. The error is one sentence.
// Safe for concurrent use, also during a turn.
func (c *Chat) Write(ctx context.Context, a Aside) (Written, error) {
	ctx, giveUp := context.WithTimeoutCause(ctx, mostAside, fmt.Errorf("the model took longer than %v", mostAside))
	defer giveUp()
	use, err := c.asides.begin(ctx)
	if err != nil {
		return Written{}, err
	}
	info, err := use.model.Describe(ctx, use.name)
	if err != nil {
		info = provider.Info{Name: use.name}
	}
	req, err := c.asideRequest(a, use, info)
	if err != nil {
		return Written{}, err
	}
	c.asides.disturb(req.Context)
	bare := &Chat{Model: use.model, Log: c.Log, Repair: c.Repair}
	w, err := bare.writeAside(ctx, req)
	if err != nil && provider.AsError(err).Kind == provider.KindNoThinking {
		req.Think = provider.ThinkAuto
		w, err = bare.writeAside(ctx, req)
	}
	if err != nil && ctx.Err() != nil {
		err = context.Cause(ctx)
	}
	if err == nil && strings.TrimSpace(w.Text) == "" {
		err = fmt.Errorf("the model wrote nothing within %d tokens", req.MaxTokens)
	}
	return w, err
}

// begin waits until the conversation wants nothing of the model. The error is of ctx, or says that there is no model.
func (a *asides) begin(ctx context.Context) (inUse, error) {
	for {
		a.mu.Lock()
		use, quiet := a.inUse, a.quiet
		a.mu.Unlock()
		switch {
		case use.name == "":
			return use, &provider.Error{Kind: provider.KindMissing, Text: "no model is in use yet", Hint: "ask it something first"}
		case quiet == nil:
			return use, nil
		}
		select {
		case <-quiet:
		case <-ctx.Done():
			return use, context.Cause(ctx)
		}
	}
}

// talk says that the conversation asks the model for something, until the function that it returns is called. One thing is asked at a time.
func (a *asides) talk() (over func()) {
	a.mu.Lock()
	defer a.mu.Unlock()
	quiet := make(chan struct{})
	a.quiet = quiet
	return func() {
		a.mu.Lock()
		defer a.mu.Unlock()
		a.quiet = nil
		close(quiet)
	}
}

// disturb notes that the server's cache is used for something else, in a context of that size.
func (a *asides) disturb(window int) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.taken = max(a.taken, window)
}

// disturbed returns the largest context in which the server's cache was used for something else since the last call; 0 if it was not.
func (a *asides) disturbed() (window int) {
	a.mu.Lock()
	defer a.mu.Unlock()
	window, a.taken = a.taken, 0
	return window
}

// use notes with what the conversation asks.
func (a *asides) use(now inUse) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.inUse = now
}

// asideRequest makes a request in the context that the model has already, if that is enough: another one loads the model again.
func (c *Chat) asideRequest(a Aside, use inUse, info provider.Info) (provider.Request, error) {
	req := provider.Request{Purpose: provider.ForServer, Model: use.name, MaxTokens: a.MaxTokens, Think: provider.ThinkAuto}
	for _, m := range a.Messages {
		if len(m.Images) > 0 && !info.Vision {
			m.Text = strings.TrimSpace(m.Text + "\n(an image that you cannot see)")
			m.Images = nil
		}
		req.Messages = append(req.Messages, m)
	}
	if info.Thinking { // which would be paid for out of the same tokens
		req.Think = provider.ThinkOff
	}
	need := provider.Estimate(req.Messages, nil) + a.MaxTokens
	k := learned{chosen: use.chosen, info: info, window: use.window}
	if most := k.limit(); need > most {
		return req, fmt.Errorf("the text has about %s tokens with the answer: the model holds %s", quantity.Count(need), quantity.Count(most))
	}
	req.Context = k.widen(need - window.Reserve) // the reply is in need
	return req, nil
}

// writeAside makes the request. When it returns, nothing of it runs any more.
func (c *Chat) writeAside(ctx context.Context, req provider.Request) (Written, error) {
	w := Written{Model: req.Model}
	var said strings.Builder
	var usage provider.Usage
	for chunk, err := range c.chunks(ctx, req) {
		if err != nil {
			return Written{}, err
		}
		if chunk.Withdraw != 0 {
			said.Reset()
		}
		said.WriteString(chunk.Text)
		usage = chunk.Usage
		if w.Cut = chunk.Reason == "length" || said.Len() > req.MaxTokens*tokenBytes; w.Cut {
			break
		}
	}
	w.Text = valid(strings.TrimSpace(sanitize.Cut(said.String(), req.MaxTokens*tokenBytes)))
	w.Tokens = cmp.Or(usage.PromptTokens, provider.Estimate(req.Messages, nil)) + cmp.Or(usage.AnswerTokens, window.Tokens(len(w.Text)))
	return w, ctx.Err()
}
