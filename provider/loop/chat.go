// Package loop turns a question into an answer: it lets a model use tools until it has one.
//
// [Chat.Send] runs one turn and tells everything that happens as a sequence of events. It asks the model for a reply, runs the calls in it through
// [Tools], gives the results back, and goes on until one of nine reasons ends the turn.
//
// # A round
//
// loop.go has the turn from the first request to its ending. What it calls is in files of their own:
//
//	prepare.go    which servers are there; toolset.go chooses what the model is told of their tools (slim.go)
//	compact.go    older messages make room (summary.go) when the context is nearly full
//	request.go    what the model gets (history.go), and what a refusal teaches; learned.go has all that is known of a model, and
//	              window.go how large its context has to be
//	stream.go     the reply, piece by piece: receive.go and silence.go watch the stream
//	calls.go      the calls of a reply: which run, and which are answered without (repeats.go, approve.go)
//	run.go        the calls, several at a time where none of them changes anything
//	limits.go     when the work ends (worktime.go has the clock)
//
// Small models get much of this wrong. Package provider/repair wraps a model so that its replies are usable; see Chat.Repair.
//
// # The line
//
// A turn tells what it is doing as it happens, each [provider.Activity] when it is seen and with the time it is likely to take, if
// [provider.Pace] remembers one. It has no words for that: package status makes the line from the events, and asks for sentences about running
// tools (sentences.go).
package loop

import (
	"context"
	"encoding/json"
	"iter"
	"log/slog"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	"github.com/aloudchat/aloud/mcpclient"
	"github.com/aloudchat/aloud/provider"
)

// Tools is what a turn needs of the tools: *mcpclient.Set in the program, a table of functions in tests.
type Tools interface {
	// Tools lists what is offered now. A turn asks once, at its beginning.
	Tools() []mcpclient.Tool
	// Call runs the tool of this name with a JSON object. A tool that says that it failed is a Result; the error is for calls that got none.
	// Several run at the same time. Call returns soon after ctx ends, and tells progress, which is never nil, only until it returns.
	Call(ctx context.Context, name string, arguments json.RawMessage, progress func(mcpclient.Progress)) (mcpclient.Result, error)
}

// Starting is the optional second interface of Tools whose servers are still coming up. Send waits for them.
type Starting interface {
	// Starting tells how many of all servers are ready or failed, and a channel that is closed when that changes.
	Starting() (settled, all int, changed <-chan struct{})
}

// Previews is the optional third interface of Tools: what a call is about to change, to be shown with the question whether it may.
type Previews interface {
	// Preview is a unified diff, raw; "" when nothing is known. The error says why the call would fail.
	Preview(ctx context.Context, name string, arguments json.RawMessage) (diff string, err error)
}

// Cautions is the optional fourth interface of Tools: which calls must be asked for, whatever is allowed.
type Cautions interface {
	// Caution says why in a few words, "\".env\" usually holds secrets"; "" when the call need not be asked for.
	Caution(name string, arguments json.RawMessage) string
}

// Asker knows what servers ask of you while their tools run: *inbox.Inbox in the program.
type Asker interface {
	// Asking returns the server that asks now, "" if none does, and a channel that is closed when that changes. Safe for concurrent use.
	Asking() (server string, changed <-chan struct{})
}

// Limits bound the work of one turn. A zero field means its default.
type Limits struct {
	Iterations        int           // tool rounds; default 10
	ConsecutiveErrors int           // failed calls in a row; default 3
	TotalTime         time.Duration // of work; default 10m
	Silence           time.Duration // of a reply that had begun, before it counts as stalled; default 60s
	ThinkingTokens    int           // that one reply may spend on thinking before the model is asked to answer; 0: no limit
}

// Chat holds what turns have in common. Fields may be changed between turns, not during one. One turn runs at a time.
type Chat struct {
	Model       provider.Model
	Name        string            // which model, "qwen3:8b"
	Tools       Tools             // nil: none
	Policy      *mcpclient.Policy // nil: ApprovalAuto
	Asker       Asker             // nil: servers ask nothing
	Interactive bool              // Asked will be answered; else calls that would ask are denied
	Limits      Limits
	Think       provider.Think                      // "": auto
	Context     int                                 // num_ctx; 0: what the work needs within the model's means
	System      string                              // added to aloud's own system prompt
	NoPrompt    bool                                // leaves aloud's own system prompt out
	StatusModel string                              // asked by Running.Ask; "": the chat's own
	Pace        *provider.Pace                      // how fast models are here; nil: unknown, and nothing is noted
	Session     string                              // id for Result.Session
	Repair      func(provider.Model) provider.Model // wraps Model so that its replies are better; nil: they are taken as they are
	Log         *slog.Logger                        // gets what the loop does, at debug level; nil: no log

	learned map[string]*learned      // by model
	clock   atomic.Pointer[workTime] // of the turn that runs; nil if none does
}

// Send runs one turn: the question, the model, the tools, until one of the nine reasons ends it. Events must be pulled one at a time;
// the last one is Ended, in every case. The second value is non-nil only with an Ended whose reason is error.
// Cancelling ctx ends the turn with what there is; leaving the loop does the same and waits for running calls.
func (c *Chat) Send(ctx context.Context, conv provider.Conversation, text string) iter.Seq2[provider.Event, error] {
	return c.SendAll(ctx, conv, provider.Message{Role: provider.RoleUser, Text: text})
}

// SendAll is Send with several messages in the place of the question, such as those of a prompt: what is attached to them, and what they say in
// the model's name, counts. Where that is last a short message asks the model to go on.
func (c *Chat) SendAll(ctx context.Context, conv provider.Conversation, messages ...provider.Message) iter.Seq2[provider.Event, error] {
	begin := make([]provider.Message, 0, len(messages)+1)
	for _, m := range messages {
		if text := strings.ToValidUTF8(m.Text, "\uFFFD"); text != m.Text {
			m.Text = text
			if len(m.Foreign) > 0 { // its places are others now
				m.Foreign = []provider.Span{{From: 0, Until: len(text)}}
			}
		}
		begin = append(begin, m)
	}
	if n := len(begin); n > 0 && begin[n-1].Role == provider.RoleAssistant {
		begin = append(begin, provider.Message{Role: provider.RoleUser, Text: provider.GoOn})
	}
	return c.turn(ctx, conv, begin...)
}

// Resume goes on after a turn that a limit, you or a failure stopped, with fresh limits and without a new question.
// Where the model spoke last, a short message asks it to go on.
func (c *Chat) Resume(ctx context.Context, conv provider.Conversation) iter.Seq2[provider.Event, error] {
	for _, m := range slices.Backward(conv.Messages()) {
		if m.Role == provider.RoleAssistant {
			return c.turn(ctx, conv, provider.Message{Role: provider.RoleUser, Text: provider.GoOn})
		}
		if m.Role != provider.RoleSummary {
			break
		}
	}
	return c.turn(ctx, conv)
}

// Suspend stops the clock of the turn that runs until resume is called: the program is about to be stopped, and time in which it does not run is no
// work. Safe for concurrent use.
func (c *Chat) Suspend() (resume func()) {
	if w := c.clock.Load(); w != nil {
		return w.suspend()
	}
	return func() {}
}

// Clock returns the work clock of the turn that runs as it stands now; the zero Clock if none runs. Safe for concurrent use.
func (c *Chat) Clock() provider.Clock {
	if w := c.clock.Load(); w != nil {
		return w.now()
	}
	return provider.Clock{}
}
