package ui

import (
	"context"
	"errors"
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/aloudchat/aloud/mcpclient"
	"github.com/aloudchat/aloud/provider"
	"github.com/aloudchat/aloud/status"
	"github.com/aloudchat/aloud/ui/dialog"
	"github.com/aloudchat/aloud/ui/transcript"
)

// errStopped is the cause of an operation that you stopped.
var errStopped = errors.New("stopped")

// operation is work on a server outside of a turn: reading what a question mentions, or calling a tool that you try. It
// may take a minute, so the status row shows it.
type operation struct {
	status *statusBar
	stop   context.CancelCauseFunc // nil: none runs
}

func (o *operation) active() bool { return o.stop != nil }

// begin is a command that does the work, while the status row shows the state.
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

// leave stops the operation, if one runs.
func (o *operation) leave() {
	if o.active() {
		o.stop(errStopped)
	}
}

// over must be called when the operation has ended.
func (o *operation) over() {
	o.stop = nil
	o.status.end()
}

// trials are calls of tools that you make yourself. They are shown in the transcript; the conversation and the model do
// not get them.
type trials struct {
	ctx        context.Context // of calls
	box        dialog.Toolbox
	transcript *transcript.Transcript
	operation  *operation
	dialogs    *dialog.Stack
}

type (
	// approvedMsg is a call that you approved.
	approvedMsg struct{ call provider.ToolCall }
	// triedMsg is how the call went.
	triedMsg struct {
		call   provider.ToolCall
		update func(provider.ToolCall)
	}
)

// begin calls a read-only tool at once, and asks before any other call. A second enter before the form has closed does
// nothing.
func (t *trials) begin(try dialog.TryTool) tea.Cmd {
	if _, open := t.dialogs.Top().(*dialog.ToolForm); !open {
		return nil
	}
	if try.Tool.ReadOnly {
		return t.call(try.Call)
	}
	asked := provider.Asked{Tool: try.Tool, Call: try.Call}
	t.dialogs.Open(dialog.NewApproval(asked, nil, func(d provider.Decision) tea.Msg {
		if !d.Allow {
			return nil // the form is below
		}
		return dialog.Meant{Msg: approvedMsg{try.Call}}
	}))
	return nil
}

// call calls a tool.
func (t *trials) call(call provider.ToolCall) tea.Cmd {
	t.dialogs.CloseMeant() // the form, and the list below it
	update := t.transcript.Tried(call)
	t.transcript.End()
	state := status.State{Phase: status.UsingTool, Text: status.Using(call.Title), Since: time.Now()}
	return t.operation.begin(t.ctx, state, func(ctx context.Context) tea.Msg {
		began := time.Now()
		result, err := t.box.Call(ctx, call.Name, call.Arguments, func(mcpclient.Progress) {})
		call.DurationMS, call.Result, call.Status = time.Since(began).Milliseconds(), result.Text, provider.CallOK
		switch {
		case err != nil && ctx.Err() != nil:
			call.Status, call.Result = provider.CallCancelled, dialog.Sentence(err)
		case err != nil:
			call.Status, call.Error = provider.CallError, dialog.Sentence(err)
		case result.Failed:
			call.Status, call.Error = provider.CallError, result.Text
		case result.Odd != "":
			call.Result = "This is not what the tool announces: " + result.Odd + ".\n\n" + result.Text
		}
		return triedMsg{call, update}
	})
}

// over shows how a call went.
func (t *trials) over(msg triedMsg) tea.Cmd {
	t.operation.over()
	msg.update(msg.call)
	return reply(dialog.Closed{})
}
