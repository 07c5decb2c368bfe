package provider

import (
	"cmp"
	"context"

	"github.com/aloudchat/aloud/status"
)

// prepare finds out what the model can do and which tools there are.
func (t *turn) prepare(ctx context.Context) error {
	t.showWaiting()
	if err := t.describe(ctx); err != nil {
		return err
	}
	if t.chat.Think == ThinkOn && t.known.info.CannotThink() && !t.known.noThink {
		t.known.noThink = true
		t.notice("%s cannot think; it answers without.", t.chat.Name)
	}
	t.recall(ctx)
	if t.chat.Tools == nil {
		return nil
	}
	if servers, ok := t.chat.Tools.(Newsy); ok {
		for _, news := range servers.News() {
			t.notice("%s", news)
		}
	}
	tools := t.chat.Tools.Tools()
	switch {
	case len(tools) == 0:
	case t.known.noTools, !t.known.info.Tools:
		t.dropTools("")
	default:
		t.offer(tools)
	}
	return nil
}

// recall finds the context to begin with. The server loads a model anew for any other than it has in memory, so that one is used as long as it
// is enough; where the model is not in memory the first request asks for what the last turn needed.
func (t *turn) recall(ctx context.Context) {
	needed, scale := t.chat.Pace.Context(t.chat.Name)
	t.known.scale = max(t.known.scale, min(scale, mostScale))
	if t.fixed() {
		return
	}
	if t.known.window == 0 {
		t.known.window = min(needed, t.limit())
	}
	if server, ok := t.chat.Model.(Memory); ok {
		t.known.window = cmp.Or(server.LoadedContext(ctx, t.chat.Name), t.known.window)
	}
}

// fixed reports whether the context of requests is not for the turn to choose.
func (t *turn) fixed() bool {
	return t.chat.Context > 0 || t.known.info.Fixed && t.known.info.Context > 0
}

// awaitServers waits until every tool server is ready or failed.
func (t *turn) awaitServers(ctx context.Context) error {
	starting, ok := t.chat.Tools.(Starting)
	if !ok {
		return nil
	}
	for {
		settled, all, changed := starting.Starting()
		if settled >= all {
			return nil
		}
		if words := t.words().Connecting(settled, all); t.line.Phase == status.Connecting {
			t.reword(words, 0)
		} else {
			t.begin(status.Connecting, words)
		}
		select {
		case <-changed:
		case <-t.naps.woke:
			t.tell()
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// describe asks what the model can do, until it is known. A server that cannot tell is no reason not to try: then the model is offered everything.
func (t *turn) describe(ctx context.Context) error {
	if t.known.described {
		return nil
	}
	info, err := t.chat.Model.Describe(ctx, t.chat.Name)
	if err != nil {
		if kind, _ := kindOf(err); kind != KindFailed || ctx.Err() != nil {
			return err
		}
		info = Info{Name: t.chat.Name, Tools: true}
	}
	t.known.info, t.known.described = info, err == nil
	return nil
}
