package loop_test

import (
	"context"
	"encoding/json"
	"fmt"
	"iter"
	"regexp"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/aloudchat/aloud/mcpclient"
	"github.com/aloudchat/aloud/provider"
	"github.com/aloudchat/aloud/provider/event"
	"github.com/aloudchat/aloud/provider/loop"
	"github.com/aloudchat/aloud/provider/providertest"
	"github.com/aloudchat/aloud/provider/repair"
	"github.com/aloudchat/aloud/status"
)

// function is the implementation of a tool.
type function func(ctx context.Context, arguments string, progress func(mcpclient.Progress)) (mcpclient.Result, error)

// toolbox is a table of trusted tools. Their names have meaning: read_… is read-only, know_… is read-only and
// idempotent, set_… is idempotent, and do_… has effects.
type toolbox []tool

type tool struct {
	name string
	run  function
}

func (b toolbox) Tools() []mcpclient.Tool {
	tools := make([]mcpclient.Tool, len(b))
	for i, t := range b {
		tools[i] = mcpclient.Tool{
			Name: "box__" + t.name, Server: "box", BuiltIn: "box", ServerTool: t.name, Description: "A tool.",
			Schema:  json.RawMessage(`{"type":"object"}`),
			Trusted: true, ReadOnly: strings.HasPrefix(t.name, "read") || strings.HasPrefix(t.name, "know"),
			Idempotent: strings.HasPrefix(t.name, "know") || strings.HasPrefix(t.name, "set"),
		}
	}
	return tools
}

func (b toolbox) Call(
	ctx context.Context, call mcpclient.Call, progress func(mcpclient.Progress),
) (mcpclient.Result, error) {
	for _, t := range b {
		if "box__"+t.name == call.Tool {
			return t.run(ctx, string(call.Arguments), progress)
		}
	}
	return mcpclient.Result{}, fmt.Errorf("there is no tool %q", call.Tool)
}

// says is a tool that returns a text at once.
func says(text string) function {
	return takes(0, text)
}

// takes is a tool that returns a text after some time.
func takes(d time.Duration, text string) function {
	return func(ctx context.Context, _ string, _ func(mcpclient.Progress)) (mcpclient.Result, error) {
		select {
		case <-time.After(d):
			return mcpclient.Result{Text: text}, nil
		case <-ctx.Done():
			return mcpclient.Result{}, ctx.Err()
		}
	}
}

// uncancelled is a tool that ignores cancellation.
func uncancelled(d time.Duration) function {
	return func(ctx context.Context, _ string, _ func(mcpclient.Progress)) (mcpclient.Result, error) {
		time.Sleep(d)
		return mcpclient.Result{}, ctx.Err()
	}
}

// fails is a tool that reports a failure.
func fails(text string) function {
	return func(context.Context, string, func(mcpclient.Progress)) (mcpclient.Result, error) {
		return mcpclient.Result{Text: text, Failed: true}, nil
	}
}

// Short names for scripts.
type (
	reply   = providertest.Reply
	replies = []reply
	step    = providertest.Step
)

func script(r replies) *providertest.Script { return &providertest.Script{Replies: r} }

// ask runs a turn of a new conversation and returns its story. answer, if any, answers requests for approval.
func ask(t *testing.T, c *loop.Chat, text string, answer ...func(event.Asked)) (string, event.Ended) {
	t.Helper()
	return tell(t, c.Send(t.Context(), provider.Conversation{}, text), append(answer, nil)[0])
}

// askFast is ask under fake time.
func askFast(
	t *testing.T, c *loop.Chat, text string, answer ...func(event.Asked),
) (story string, ended event.Ended) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) { story, ended = ask(t, c, text, answer...) })
	return story, ended
}

// askIn is ask in a conversation.
func askIn(t *testing.T, c *loop.Chat, conv provider.Conversation, text string) (string, event.Ended) {
	t.Helper()
	return tell(t, c.Send(t.Context(), conv, text), nil)
}

// askAndStop is askFast with a turn that is cancelled after some time.
func askAndStop(t *testing.T, c *loop.Chat, after time.Duration) (story string, ended event.Ended) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithTimeout(t.Context(), after)
		defer cancel()
		story, ended = tell(t, c.Send(ctx, provider.Conversation{}, "Go"), nil)
	})
	return story, ended
}

// endsAs checks the reason, the answer and, if given, the statuses of the calls of a turn.
func endsAs(t *testing.T, e event.Ended, reason event.Reason, answer string, statuses ...event.CallStatus) {
	t.Helper()
	r := e.Result
	if r.Stop.Reason != reason || r.Answer != answer || statuses != nil && becameOf(r) != fmt.Sprint(statuses) {
		t.Errorf("it ended as %+v with %q and calls %s", r.Stop, r.Answer, becameOf(r))
	}
}

// hasAll checks that a text contains all of the others.
func hasAll(t *testing.T, text string, wants ...string) {
	t.Helper()
	for _, want := range wants {
		if !strings.Contains(text, want) {
			t.Errorf("%q is missing in\n%.3000s", want, text)
		}
	}
}

// decide answers every request for approval.
func decide(d event.Decision) func(event.Asked) {
	return func(a event.Asked) { a.Answer(d) }
}

// does is a tool whose result is text.
func does(run func(arguments string) string) function {
	return func(_ context.Context, arguments string, _ func(mcpclient.Progress)) (mcpclient.Result, error) {
		return mcpclient.Result{Text: run(arguments)}, nil
	}
}

// chat is a chat that allows every call.
func chat(model *providertest.Script, tools toolbox) *loop.Chat {
	return &loop.Chat{Model: model, Name: "test:1b", Tools: tools, Interactive: true, Repair: repair.New(),
		Shared: new(loop.Shared),
		Policy: mcpclient.NewPolicy(mcpclient.ApprovalAll, nil, nil, nil)}
}

// calls is a step with tool calls: "read_file", or with arguments `read_file {"path":"a"}`.
func calls(wishes ...string) step {
	var step step
	for _, wish := range wishes {
		name, arguments, _ := strings.Cut(wish, " ")
		step.Calls = append(step.Calls, provider.Call{Name: "box__" + name, Arguments: json.RawMessage(arguments)})
	}
	return step
}

// reads is n replies that call read_page for one page after another.
func reads(n int) replies {
	replies := make(replies, n)
	for i := range replies {
		replies[i] = reply{calls(fmt.Sprintf(`read_page {"n":%d}`, i+1))}
	}
	return replies
}

var digits = regexp.MustCompile(`[0-9.]+k?`)

// observed yields the events of a turn and every new state of the status line.
func observed(t testing.TB, c *loop.Chat, turn event.Events, style ...status.Style) iter.Seq[any] {
	return func(yield func(any) bool) {
		observedWithErrors(t, c, turn, style...)(func(ev any, _ error) bool { return yield(ev) })
	}
}

func observedWithErrors(t testing.TB, c *loop.Chat, turn event.Events, style ...status.Style) iter.Seq2[any, error] {
	return func(yield func(any, error) bool) {
		var mu sync.Mutex
		var states []status.State
		line := &status.Observer{Style: append(style, status.StyleName)[0], Show: func(s status.State) {
			mu.Lock()
			defer mu.Unlock()
			states = append(states, s)
		}}
		if c != nil {
			line.Clock = c.Shared.Clock
		}
		for ev, err := range turn {
			line.Observe(t.Context(), ev)
			mu.Lock()
			now := states
			states = nil
			mu.Unlock()
			for _, s := range now {
				if !yield(s, nil) {
					return
				}
			}
			if _, ok := ev.(event.Activity); !ok && !yield(ev, err) {
				return
			}
		}
	}
}

// tell runs a turn and returns it as text, one line per event. answer, if not nil, answers requests for approval.
func tell(t *testing.T, turn event.Events, answer func(event.Asked)) (string, event.Ended) {
	t.Helper()
	return tellAs(t, status.StyleName, turn, answer)
}

// tellAs is tell with a style of the status line.
func tellAs(
	t *testing.T, style status.Style, turn event.Events, answer func(event.Asked),
) (string, event.Ended) {
	t.Helper()
	var story strings.Builder
	var last any
	var line status.State
	piece := "" // kind of the text so far
	end := func() {
		if piece != "" {
			story.WriteString("\n")
		}
		piece = ""
	}
	say := func(kind, delta string) {
		if piece != kind {
			end()
			piece = kind
			fmt.Fprintf(&story, "%s: ", kind)
		}
		story.WriteString(delta)
	}
	for ev, err := range observedWithErrors(t, nil, turn, style) {
		last = ev
		switch e := ev.(type) {
		case event.Text:
			say("text", e.Delta)
			continue
		case event.Thinking:
			say("thinking", e.Delta)
			continue
		case status.State:
			was := line
			if line = e; was.Phase == line.Phase && was.Words() == line.Words() {
				continue
			}
			end()
			if line.Phase == status.Reading {
				fmt.Fprintf(&story, "(%s)\n", digits.ReplaceAllString(line.Words(), "N"))
				continue
			}
			fmt.Fprintf(&story, "(%s)\n", line.Words())
			continue
		}
		end()
		switch e := ev.(type) {
		case event.Withdrawn:
			fmt.Fprintln(&story, "withdrawn")
		case event.Stalled:
			fmt.Fprintf(&story, "stalled: %v\n", e.Silence)
		case event.Compacted:
			fmt.Fprintf(&story, "compacted: %d messages, %d → %d tokens\n", e.Messages, e.Before, e.After)
		case event.Notice:
			fmt.Fprintf(&story, "notice: %s\n", e.Text)
		case event.ToolCalled:
			fmt.Fprintf(&story, "called: %s %s %s %s\n", e.Call.ID, e.Call.Title, e.Call.Arguments, e.Call.Status)
		case event.ToolFinished:
			fmt.Fprintf(&story, "finished: %s %s %s\n", e.Call.ID, e.Call.Title, e.Call.Status)
		case event.Asked:
			fmt.Fprintf(&story, "asked: %s %s\n", e.Call.Title, e.Pattern)
			if answer != nil {
				answer(e)
			}
		case event.Ended:
			fmt.Fprintf(&story, "ended: %s %s\n", e.Result.Stop.Reason, e.Result.Stop.Detail)
			if (err != nil) != (e.Result.Stop.Reason == event.Failed) {
				t.Errorf("the turn ended as %q with the error %v", e.Result.Stop.Reason, err)
			}
		}
	}
	ended, ok := last.(event.Ended)
	if !ok {
		t.Fatalf("the last event is %#v, not Ended\n%s", last, story.String())
	}
	return story.String(), ended
}

// events yields the events of a turn that must not fail.
func events(t testing.TB, turn event.Events) iter.Seq[event.Event] {
	return func(yield func(event.Event) bool) {
		t.Helper()
		for ev, err := range turn {
			if err != nil {
				t.Errorf("the turn failed: %v", err)
			}
			if !yield(ev) {
				return
			}
		}
	}
}

// withCancelAfter returns the test's context, cancelled after some time.
func withCancelAfter(t *testing.T, d time.Duration) (context.Context, context.CancelFunc) {
	return context.WithTimeout(t.Context(), d)
}

// last returns the last message.
func last(messages []provider.Message) provider.Message { return messages[len(messages)-1] }

// written returns a conversation as text, one line per message.
func written(c provider.Conversation) string {
	var b strings.Builder
	for _, m := range c.Messages() {
		b.WriteString(string(m.Role))
		if m.CallID != "" {
			fmt.Fprintf(&b, " %s %s", m.CallID, m.Tool)
		}
		if m.Failed {
			b.WriteString(" failed")
		}
		if m.Partial {
			b.WriteString(" partial")
		}
		b.WriteString(":")
		if m.Thinking != "" {
			fmt.Fprintf(&b, " (%s)", m.Thinking)
		}
		if m.Text != "" {
			fmt.Fprintf(&b, " %s", m.Text)
		}
		for _, c := range m.Calls {
			fmt.Fprintf(&b, " [%s %s %s]", c.ID, c.Name, c.Arguments)
		}
		b.WriteString("\n")
	}
	return b.String()
}

// same compares a text with an indented one.
func same(t *testing.T, what, got, want string) {
	t.Helper()
	want = strings.ReplaceAll(strings.TrimLeft(want, "\n"), "\t", "")
	if strings.TrimSpace(got) != strings.TrimSpace(want) {
		t.Errorf("the %s is\n%s\nnot\n%s", what, got, want)
	}
}

// must ends the test if there is an error.
func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
