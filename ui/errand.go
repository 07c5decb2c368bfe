package ui

import (
	"context"
	"errors"
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/aloudchat/aloud/status"
)

// errLeft is why something is not read that a person did not want any more.
var errLeft = errors.New("it was left")

// errand is what is being read from a server for a question. It may take a minute, so the status row says what it is and for how long.
type errand struct {
	status *statusBar
	stop   context.CancelCauseFunc // nil: nothing is read
}

func (e *errand) active() bool { return e.stop != nil }

// begin is a command that works, while the status row says what goes on.
func (e *errand) begin(ctx context.Context, state status.State, work func(context.Context) tea.Msg) tea.Cmd {
	ctx, cancel := context.WithCancelCause(ctx)
	e.stop = cancel
	e.status.start()
	e.status.set(state)
	return func() tea.Msg {
		defer cancel(nil)
		return work(ctx)
	}
}

// read is a command that reads something from a server for a question.
func (e *errand) read(ctx context.Context, what string, work func(context.Context) readMsg) tea.Cmd {
	state := status.State{Phase: status.Reading, Text: status.Words{}.Attaching(what), Since: time.Now()}
	return e.begin(ctx, state, func(ctx context.Context) tea.Msg {
		msg := work(ctx)
		if msg.err != nil && ctx.Err() != nil {
			msg.err = context.Cause(ctx)
		}
		return msg
	})
}

// leave gives up what is being read.
func (e *errand) leave() {
	if e.active() {
		e.stop(errLeft)
	}
}

// over says that it is read, or not going to be.
func (e *errand) over() {
	e.stop = nil
	e.status.end()
}
