// Package headless works without a screen. It answers one message (-p) as text, JSON or a stream of JSON, chats line by
// line, and calls a tool without a model (Call).
//
// The formats and exit codes are a contract with scripts. All text from models and tools passes package sanitize.
package headless

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"time"

	"github.com/aloudchat/aloud/internal/sanitize"
	"github.com/aloudchat/aloud/mcpclient"
	"github.com/aloudchat/aloud/mcpclient/elicit"
	"github.com/aloudchat/aloud/provider"
	"github.com/aloudchat/aloud/provider/attach"
	"github.com/aloudchat/aloud/provider/event"
	"github.com/aloudchat/aloud/session/live"
	"github.com/aloudchat/aloud/status"
)

// Format is the form of standard output.
type Format string

// The formats of --output.
const (
	FormatText       Format = "text"        // the answer and nothing else
	FormatJSON       Format = "json"        // one event.Result
	FormatStreamJSON Format = "stream-json" // one object per event and line, a event.Result last
)

// Options has the parts of a chat and its streams.
type Options struct {
	live.Parts
	Board       mcpclient.Statuses // failed servers are reported once; may be nil
	Inbox       *elicit.Inbox      // answers requests of servers; may be nil
	Format      Format
	Stdout      io.Writer     // only the answer
	StdoutTTY   bool          // Stdout is a terminal: text appears as it is written
	Stderr      io.Writer     // status, notices, errors
	StatusWidth func() int    // the width of the terminal behind Stderr; safe for concurrent use, nil without a terminal
	Motion      status.Motion // of the status line
	Plain       bool          // print lines that stay instead of a status line
	Quiet       bool          // only errors, notices and prompts on Stderr
	Unread      string        // the end of the message that was piped in; mentions in it are not read

	lines    bool     // the plain line mode
	reported []string // names of failed servers that were reported
}

// talk prints a chat.
type talk struct {
	Options
	chat *live.Chat
	out  printer
}

func newTalk(o Options) talk {
	t := talk{o, live.New(o.Parts), newPrinter(o)}
	t.chat.Watch(t.out.status)
	return t
}

// Answer runs one turn and returns its exit code.
func Answer(ctx context.Context, o Options, text string) int {
	t := newTalk(o)
	return ExitCode(t.turn(ctx, t.out, &question{text: text}))
}

// turn runs one turn and prints every event.
func (t *talk) turn(ctx context.Context, out printer, asked *question) event.Ended {
	err := t.chooseModel(ctx)
	if err == nil {
		err = t.read(ctx, asked)
	}
	if err != nil {
		ended := t.notStarted(ctx, err)
		out.event(ended)
		return ended
	}
	var ended event.Ended
	for ev := range t.chat.Send(ctx, asked.messages...) {
		t.notices(out)
		if e, ok := ev.(event.Ended); ok {
			ended = e
			t.failures(out)
			if text := status.Ending(e.Result, t.ways()); text != "" && e.Result.Stop.Reason != event.Failed {
				out.event(event.Notice{Text: text})
			}
		}
		out.event(ev)
	}
	return ended
}

// ways returns what you can do after a turn has ended.
func (o *Options) ways() status.Ways {
	switch {
	case o.lines:
		return status.Ways{GoOn: "to go on, send: go on", Retry: "/retry asks again",
			Room: "/clear starts a new conversation"}
	case o.Recorder == nil: // there is nothing to go on with
		return status.Ways{}
	}
	return status.Ways{GoOn: `to go on: aloud --continue -p "go on"`}
}

// notices prints the requests of servers and their outcome.
func (o *Options) notices(out printer) {
	if o.Inbox == nil {
		return
	}
	for _, text := range o.Inbox.Notices() {
		out.event(event.Notice{Text: text})
	}
}

// failures prints each server that failed or is late once.
func (o *Options) failures(out printer) {
	if o.Board == nil {
		return
	}
	for _, s := range o.Board.Servers() {
		if words := Missing(s); words != "" && !slices.Contains(o.reported, s.Name) {
			o.reported = append(o.reported, s.Name)
			out.event(event.Notice{Text: words})
		}
	}
}

// Missing returns why a server cannot be used and what to do, "" if it can or is turned off.
func Missing(s mcpclient.ServerStatus) string {
	switch s.State {
	case mcpclient.ServerFailed:
		return fmt.Sprintf("Server %q failed: %s", s.Name, s.Reason())
	case mcpclient.ServerNeedsLogin:
		return fmt.Sprintf("Server %q needs a login. Log in with: aloud mcp login %s", s.Name, s.Name)
	case mcpclient.ServerStarting:
		if s.Late {
			return fmt.Sprintf("Server %q is %s. Its tools are missing. To wait for it: aloud mcp tools %s",
				s.Name, s.Detail, s.Name)
		}
	}
	return ""
}

// choosePatience is how long a server may take to list its models. No limit of a turn applies yet.
const choosePatience = 30 * time.Second

// chooseModel finds a model unless one is known. It reports once that a resumed conversation continues with another.
func (t *talk) chooseModel(ctx context.Context) error {
	if t.chat.HasModel() {
		return nil
	}
	within, cancel := context.WithTimeout(ctx, choosePatience)
	defer cancel()
	_, search := t.chat.Search()
	info, err := search(within)
	if err != nil && within.Err() != nil && ctx.Err() == nil {
		return &provider.Error{Kind: provider.KindUnavailable, Err: err, Hint: "check it with: aloud doctor",
			Text: fmt.Sprintf("the model server did not list its models within %s", choosePatience)}
	}
	if err != nil {
		return err
	}
	if change := t.chat.Use(info); change != "" {
		t.out.event(event.Notice{Text: change})
	}
	return nil
}

// notStarted returns the end of a turn that could not begin.
func (t *talk) notStarted(ctx context.Context, err error) event.Ended {
	stop := event.FailedBy(err)
	if ctx.Err() != nil {
		stop = event.StopOf(ctx)
	}
	now := t.chat.Settings()
	result := event.Result{Model: now.Name, Session: now.Session, Stop: stop}
	return event.Ended{Result: result, Conversation: t.chat.Conversation(), Err: err}
}

// ExitCode returns the exit code for a finished turn.
func ExitCode(e event.Ended) int {
	stop := e.Result.Stop
	if stop.ByLimit() {
		return 4
	}
	switch stop.Reason {
	case event.Done:
		return 0
	case event.Denied, event.GaveUp:
		return 5
	case event.Cancelled:
		if stop.Cause != event.LostOutput {
			return 130
		}
	}
	if _, usage := errors.AsType[*attach.CallError](e.Err); usage {
		return 2
	}
	model, ok := errors.AsType[*provider.Error](e.Err)
	if ok && (model.Kind == provider.KindUnavailable || model.Kind == provider.KindMissing) {
		return 3
	}
	return 1
}

// PrintError prints an error, and on a second line its hint.
func PrintError(w io.Writer, err error) {
	fmt.Fprintf(w, "aloud: %s\n", sanitize.Text(err.Error()))
	if model, ok := errors.AsType[*provider.Error](err); ok && model.Hint != "" {
		fmt.Fprintf(w, "  %s\n", sanitize.Text(model.Hint))
	}
}
