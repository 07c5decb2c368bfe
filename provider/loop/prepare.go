package loop

import (
	"context"

	"github.com/aloudchat/aloud/provider"
)

// prepare determines what the model can do and which tools there are.
func (t *turn) prepare(ctx context.Context) error {
	t.emit(provider.Asking{})
	if err := t.known.describe(ctx, t.chat.Model); err != nil {
		return err
	}
	if t.chat.Think == provider.ThinkOn && t.known.info.CannotThink() && !t.known.noThink {
		t.known.noThink = true
		t.notice("%s cannot think and answers without thinking", t.chat.Name)
	}
	t.known.recall(ctx, t.chat.Model)
	if t.chat.Tools == nil {
		return nil
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
		t.emit(provider.Connecting{Settled: settled, All: all})
		select {
		case <-changed:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}
