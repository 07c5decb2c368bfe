package screen

import (
	"context"
	"fmt"
	"runtime/debug"

	tea "charm.land/bubbletea/v2"
)

// Work is work that needs a context. send sends a message to the model, and has no effect after the program has ended.
// A Work is also a message, which starts the work.
type Work func(ctx context.Context, send func(tea.Msg))

// Go returns a command that starts work. When the program ends, it cancels the context and waits for the end of the
// work.
func Go(work Work) tea.Cmd { return Reply(work) }

// Start is Go for work that can be stopped: stop cancels the context, even before the work has begun.
func Start(work Work) (begin tea.Cmd, stop func()) {
	stopped, stop := context.WithCancel(context.Background())
	return Go(func(ctx context.Context, send func(tea.Msg)) {
		ctx, cancel := context.WithCancel(ctx)
		defer cancel()
		defer context.AfterFunc(stopped, cancel)()
		work(ctx, send)
	}), stop
}

// run does the work. A panic cancels with tea.ErrProgramPanic.
func (w Work) run(ctx context.Context, cancel context.CancelCauseFunc, send func(tea.Msg)) {
	defer func() {
		if p := recover(); p != nil {
			cancel(fmt.Errorf("%w: %v\n%s", tea.ErrProgramPanic, p, debug.Stack()))
		}
	}()
	w(ctx, send)
}

// Reply returns a command that returns a message.
func Reply(msg tea.Msg) tea.Cmd { return func() tea.Msg { return msg } }
