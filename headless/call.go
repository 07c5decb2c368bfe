package headless

import (
	"context"
	"encoding/json"
	"time"

	"github.com/aloudchat/aloud/mcpclient"
	"github.com/aloudchat/aloud/provider"
	"github.com/aloudchat/aloud/status"
)

// Trial is one call of a tool that a person makes by hand, as those do who write servers.
type Trial struct {
	Tool      mcpclient.Tool
	Arguments json.RawMessage // an object
	Images    string          // the folder that gets the images of the result; "": they are only told of
	Log       *ServerLog      // what the server writes for its log; nil: nobody hears it
}

// Call calls a tool of o.Chat.Tools, without any model, and returns the exit code. What a model would read goes to Stdout, or with FormatJSON an
// object with all there is; how far the tool is, what the server asked and how the result fits the tool's schema are told on Stderr.
func Call(ctx context.Context, o Options, t Trial) int {
	out := newPrinter(o)
	title, began := status.Title(t.Tool.Title, t.Tool.ServerTool), time.Now()
	state := status.State{Phase: status.UsingTool, Text: status.Words{}.Using(title), Since: began}
	out.event(provider.Status{State: state})
	moved, done := o.begin(ctx, t)
	for {
		select {
		case p := <-moved:
			state.Text, state.Part = status.Words{}.UsingFor(1, status.Words{}.Progress(title, p.Done, p.Total, p.Message)), 0
			if p.Total > 0 {
				state.Part = max(0, min(p.Done/p.Total, 1))
			}
			out.event(provider.Status{State: state})
		case <-o.askedChange(out):
		case <-o.logChange(out, t):
		case c := <-done:
			o.tellAsked(out)
			o.logChange(out, t)
			out.event(provider.Status{}) // nothing goes on any more
			return o.called(ctx, out, t, c, time.Since(began))
		}
	}
}

// called is how a call went.
type called struct {
	result mcpclient.Result
	err    error
}

// begin makes the call on a goroutine of its own, which ends when the call does. The caller takes what comes of moved until done has come.
func (o *Options) begin(ctx context.Context, t Trial) (moved <-chan mcpclient.Progress, done <-chan called) {
	far, over := make(chan mcpclient.Progress), make(chan called, 1)
	go func() {
		result, err := o.Chat.Tools.Call(ctx, t.Tool.Name, t.Arguments, func(p mcpclient.Progress) { far <- p })
		over <- called{result, err}
	}()
	return far, over
}

// askedChange tells what became of the questions of servers, and is closed when there is something new to tell; nil when none can ask.
func (o *Options) askedChange(out printer) <-chan struct{} {
	if o.Desk == nil {
		return nil
	}
	_, changed := o.Desk.Asking()
	o.tellAsked(out)
	return changed
}

// logChange tells what the server wrote for its log, and is closed when there is more; nil when nobody hears it.
func (o *Options) logChange(out printer, t Trial) <-chan struct{} {
	lines, more := t.Log.take()
	if o.Quiet {
		return more
	}
	for _, line := range lines {
		out.event(provider.Notice{Text: line})
	}
	return more
}

// Connect waits until ready has returned, and tells a person at a terminal meanwhile how many of the servers have started.
func Connect(ctx context.Context, o Options, servers provider.Starting, ready func(context.Context) error) error {
	if o.StatusWidth == nil {
		return ready(ctx)
	}
	out, done := newPrinter(o), make(chan error, 1)
	go func() { done <- ready(ctx) }()
	state := status.State{Phase: status.Connecting, Since: time.Now()}
	for {
		settled, all, changed := servers.Starting()
		state.Text = status.Words{}.Connecting(settled, all)
		out.event(provider.Status{State: state})
		select {
		case <-changed:
		case err := <-done:
			out.event(provider.Status{})
			return err
		}
	}
}
