package ui

import (
	"context"
	"errors"

	tea "charm.land/bubbletea/v2"

	"github.com/aloudchat/aloud/status"
)

// errStopped is why an operation ended that you stopped.
var errStopped = errors.New("stopped")

// operation is work for you on a server outside of a turn: reading what a question mentions, or calling a tool that you
// try. It may take a minute, so the status row says what it is and for how long.
type operation struct {
	status *statusBar
	stop   context.CancelCauseFunc // nil: none runs
}

func (o *operation) active() bool { return o.stop != nil }

// begin is a command that works, while the status row says what goes on.
func (o *operation) begin(ctx context.Context, state status.State, work func(context.Context) tea.Msg) tea.Cmd {
	ctx, cancel := context.WithCancelCause(ctx)
	o.stop = cancel
	o.status.start()
	o.status.set(&state)
	return func() tea.Msg {
		defer cancel(nil)
		return work(ctx)
	}
}

// leave stops it.
func (o *operation) leave() {
	if o.active() {
		o.stop(errStopped)
	}
}

// over says that it has ended.
func (o *operation) over() {
	o.stop = nil
	o.status.end()
}
