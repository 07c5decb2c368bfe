package eval

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"time"

	"github.com/aloudchat/aloud/internal/quantity"
	"github.com/aloudchat/aloud/internal/sanitize"
	"github.com/aloudchat/aloud/mcpclient"
	"github.com/aloudchat/aloud/mcpclient/elicit"
	"github.com/aloudchat/aloud/mcpclient/servers"
	"github.com/aloudchat/aloud/provider"
	"github.com/aloudchat/aloud/provider/event"
	"github.com/aloudchat/aloud/provider/loop"
	"github.com/aloudchat/aloud/provider/repair"
)

// The limits of a question.
const (
	questionTime    = 2 * time.Minute
	questionContext = 8192 // tokens, unless configured; always the same, so that the model is loaded only once
)

// Runner asks questions.
type Runner struct {
	Chat     loop.Chat // the settings of the turns, without tools; its policy is for configured servers
	Defences bool      // package repair is in use
	// Server returns a configured server by its name, and a function that ends it.
	Server func(name string) (mcpclient.Server, func())
}

// Ask asks one question in its own folder, with its own servers. An error means that there is no outcome: ctx has
// ended, a server of the question does not start, or the model server cannot be used.
func (r Runner) Ask(ctx context.Context, q *Question) (Answer, error) {
	folder, err := os.MkdirTemp("", "aloud-eval-")
	if err != nil {
		return Answer{}, err
	}
	defer os.RemoveAll(folder)
	list, err := q.servers(folder)
	if err != nil {
		return Answer{}, err
	}
	for _, s := range list {
		if open, ok := s.Local.(io.Closer); ok {
			defer open.Close()
		}
	}
	if others := q.Configured(); len(others) == 0 { // its servers can do no harm
		r.Chat.Policy = mcpclient.NewPolicy(mcpclient.ApprovalAll, nil, nil, nil)
	} else {
		for _, name := range others {
			s, end := r.Server(name)
			defer end()
			s.Required = true
			list = append(list, s)
		}
	}
	root, err := elicit.RootOf(folder)
	if err != nil {
		return Answer{}, err
	}
	board := new(servers.Board)
	set := servers.Start(ctx, list, servers.Options{
		Board: board, Host: elicit.NewInbox(false), Roots: []elicit.Root{root},
	})
	defer set.Close()
	if err := set.Ready(ctx); err != nil {
		return Answer{}, err
	}
	a, err := r.turn(ctx, q, set, folder)
	for _, s := range board.Servers() {
		if err == nil && s.State != mcpclient.ServerReady {
			return Answer{}, fmt.Errorf("server %q failed during the question %q: %s", s.Name, q.Name, s.Reason())
		}
	}
	return a, err
}

// Configured returns the names of the configured servers of a question.
func (q *Question) Configured() []string {
	isOwn := func(name string) bool { return name == ownClock || name == ownFiles }
	return slices.DeleteFunc(slices.Clone(q.Kind.Servers), isOwn)
}

// turn runs the turn of a question.
func (r Runner) turn(ctx context.Context, q *Question, tools mcpclient.Tools, folder string) (Answer, error) {
	a := Answer{Model: r.Chat.Name, Question: q.Name, Defences: r.Defences, Mark: q.mark, Acted: map[string]int{}}
	chat, cold := r.Chat, 0.0
	chat.Tools, chat.Temperature, chat.Limits.TotalTime = tools, &cold, questionTime
	chat.Context = cmp.Or(chat.Context, questionContext)
	chat.Interactive, chat.Repair = true, nil
	if r.Defences {
		chat.Repair = repair.Counting(func(name string) { a.Acted[name]++ }, repair.Defences()...)
	}
	o, ended, inReply := outcome{folder: folder}, event.Ended{}, map[string]bool{}
	for ev := range chat.Send(ctx, provider.Conversation{}, q.Ask) {
		switch ev := ev.(type) {
		case event.ToolCalled: // those of one reply follow each other
			inReply[ev.Call.Name+string(ev.Call.Arguments)] = true
			o.together = max(o.together, len(inReply))
		case event.ToolFinished:
			clear(inReply)
		case event.Asked: // without an answer, the turn ends
			a.Skipped = cmp.Or(ev.Pattern, ev.Call.Title)
		case event.Stalled: // otherwise the turn goes on until you stop it
			return Answer{}, &provider.Error{Hint: "check it with: aloud doctor",
				Text: "the model server sent nothing for " + quantity.Duration(ev.Silence)}
		case event.Text:
			a.TextBytes += len(ev.Delta)
		case event.Thinking:
			a.ThinkingBytes += len(ev.Delta)
		case event.Ended:
			ended = ev
		}
	}
	o.Result = ended.Result
	failure, hasFailed := errors.AsType[*provider.Error](ended.Err)
	switch {
	case ctx.Err() != nil:
		return Answer{}, ctx.Err()
	case hasFailed && failure.Kind != provider.KindTooLong && failure.Kind != provider.KindMalformed:
		return Answer{}, failure
	case a.Skipped == "":
		a.Why = q.wrong(o)
	}
	a.Right = a.Why == "" && a.Skipped == ""
	a.measure(o.Result)
	return a, nil
}

// IsOwn reports whether an error of Ask is only about the model or question that was asked.
func IsOwn(err error) bool {
	e, ok := errors.AsType[*provider.Error](err)
	others := []provider.Kind{provider.KindUnavailable, provider.KindUnauthorized, provider.KindBusy}
	return ok && !slices.Contains(others, e.Kind)
}

// measure notes what a result says about the model.
func (a *Answer) measure(r event.Result) {
	short := func(text string) string { return sanitize.Clip(sanitize.Line(text), 300) }
	a.Text, a.Stop, a.Rounds = short(r.Answer), r.Stop.Reason, r.Rounds
	a.MS, a.LoadMS = r.Timing.Total-r.Timing.Load, r.Timing.Load
	for _, c := range r.ToolCalls {
		a.Calls = append(a.Calls, short(fmt.Sprintf("%s %s", c.Name, c.Arguments)))
	}
	for _, lap := range r.Timing.Steps {
		switch {
		case lap.Kind == event.LapRead && lap.Mark == event.Counted:
			a.Read.add(lap.Tokens, lap.MS)
		case lap.Kind == event.LapWrite:
			a.Written.add(lap.Tokens, lap.MS)
		}
	}
}
