package loop

import (
	"context"

	"github.com/aloudchat/aloud/mcpclient"
	"github.com/aloudchat/aloud/provider"
	"github.com/aloudchat/aloud/provider/event"
)

// loadedContext returns the context with which the model is in memory, or 0 if it is not or this is not known.
func (t *turn) loadedContext(ctx context.Context) int {
	if server, ok := t.chat.Model.(provider.Memory); ok {
		return server.LoadedContext(ctx, t.chat.Name)
	}
	return 0
}

// prepare determines what the model can do and whether it can use tools. loaded is the context with which it is in
// memory, or 0.
func (t *turn) prepare(ctx context.Context, loaded int) error {
	t.emit(event.Requesting{})
	var tools []mcpclient.Tool
	if t.chat.Tools != nil {
		tools = t.chat.Tools.Tools()
	}
	t.known.refresh(ctx, t.chat.Model)
	if !t.assume(tools, loaded) {
		if err := t.known.describe(ctx, t.chat.Model); err != nil {
			return err
		}
	}
	if reason := t.known.info.Refuses(t.chat.Think); reason != "" {
		t.noticeOnce("%s "+reason, t.chat.Name)
	}
	t.known.recall(loaded)
	if len(tools) > 0 && !t.known.info.Tools {
		t.dropTools("")
	}
	return nil
}

// assume saves the requests for the description of a model if nothing is remembered of it and the answer may not depend
// on it: the model is in memory, and this is its first request and takes a small part of its context. Everything is
// tried until the model calls a tool or refuses the request. assume reports whether the question can be sent.
func (t *turn) assume(tools []mcpclient.Tool, loaded int) bool {
	k := t.known
	digest, _ := k.book.Info(k.name)
	if digest != "" || k.described || len(k.last.messages) > 0 || k.chosen > 0 || t.chat.Think == provider.ThinkOn ||
		t.chat.Think.IsLevel() {
		return false
	}
	need := provider.Estimate(t.history.messages, nil)
	for _, tool := range tools {
		need += provider.SpecOf(tool).Tokens()
	}
	if float64(need) > costly*float64(loaded) || loaded-need < reserve {
		return false
	}
	k.info, k.inMemory = provider.Info{Name: k.name, Tools: true, Thinking: true}, true
	return true
}

// awaitServers waits until every tool server is ready or failed.
func (t *turn) awaitServers(ctx context.Context) error {
	starting, ok := t.chat.Tools.(mcpclient.Starting)
	if !ok {
		return nil
	}
	for {
		settled, all, changed := starting.Starting()
		if settled >= all {
			return nil
		}
		t.emit(event.Connecting{Settled: settled, All: all})
		select {
		case <-changed:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}
