// Package loop answers a message: it lets a model use tools until it has an answer.
//
// [Chat.Send] runs one turn and yields everything that happens as events. It asks the model for a reply, runs the
// calls in it through [Tools], gives the results back, and repeats until one of ten reasons ends the turn.
//
// # A round
//
// loop.go has the turn from the first request to its ending. Other files have the steps:
//
//	prepare.go    waits for servers; toolset.go chooses the tools to offer and shortens them (slim.go)
//	compact.go    makes room by summaries (summary.go) when the context is nearly full
//	request.go    builds requests (history.go) and adapts to refusals; knowledge.go has what is known about a
//	              model, window.go the size of its context
//	stream.go     assembles the reply; chunks.go and silence.go watch the stream
//	calls.go      decides which calls of the reply run (repeats.go, approve.go, reach.go)
//	readmore.go   keeps results that were too long, and lets the model read on in them
//	run.go        runs calls, several at a time if none of them changes anything; changed.go judges a call again if its
//	              tool, or the file that it changes, is no longer what it was
//	ending.go     ends the work (worktime.go has the clock)
//
// Package provider/repair wraps a model to correct what small models get wrong. See Chat.Repair.
//
// # Status
//
// A turn emits a [event.Activity] for each thing it does, with the expected time if [pace.Store] knows one.
// Package status turns these into the status line, and asks the model for sentences about running tools
// (sentences.go).
package loop

import (
	"context"
	"log/slog"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	"github.com/aloudchat/aloud/mcpclient"
	"github.com/aloudchat/aloud/provider"
	"github.com/aloudchat/aloud/provider/event"
	"github.com/aloudchat/aloud/provider/pace"
	"github.com/aloudchat/aloud/provider/repair"
)

// Asker reports which server asks for input while its tools run. *elicit.Inbox implements it.
type Asker interface {
	// Asking returns the server that asks now, or "", and a channel that is closed when that changes. Safe for
	// concurrent use.
	Asking() (server string, changed <-chan struct{})
}

// Limits bound the work of one turn. A zero field means its default.
type Limits struct {
	Iterations        int           // tool rounds; default 10, or AutoIterations
	ConsecutiveErrors int           // failed calls in a row; default 3
	TotalTime         time.Duration // of work; default 10m
	Silence           time.Duration // of a reply after its start, before it counts as stalled; default 60s
	// of thinking in one reply, before the model is asked to answer; 0 means no limit
	ThinkingTokens int
}

// Chat has the settings of a turn. A turn works with a copy, so a change holds for the turns that begin after it.
type Chat struct {
	Model       provider.Model
	Name        string            // such as "qwen3:8b"
	Tools       mcpclient.Tools   // may be nil
	Policy      *mcpclient.Policy // nil means ApprovalAuto; its grants for the session then end with the turn
	Asker       Asker             // may be nil
	Interactive bool              // Asked will be answered; otherwise calls that need approval are denied
	Limits      Limits
	Think       provider.Think // "" means auto
	Context     int            // num_ctx; 0 means as much as necessary, within the model's limit
	System      string         // added to aloud's own system prompt
	NoPrompt    bool           // leaves out aloud's own system prompt
	StatusModel string         // for Running.Ask; "" means Name
	Temperature *float64       // nil means the model's default
	Pace        *pace.Store    // known speeds of models; may be nil
	Session     string         // id for Result.Session
	// wraps Model to improve its replies; may be nil
	Repair repair.Wrap
	Log    *slog.Logger // gets debug messages of the loop; may be nil
	Shared *Shared      // nil means that the turn shares nothing with others
	// returns your messages that go with the next request of a running turn; may be nil
	Steer func() []provider.Message
}

// Shared is what the turns of a chat share: results that were cut, what is known about models, and the clock of the
// running turn. Only one turn may run at a time. The zero value is ready to use.
type Shared struct {
	shelf   shelf                    // results that were cut
	learned map[string]*knowledge    // by model
	asked   *knowledge               // the model of the last request
	clock   atomic.Pointer[workTime] // of the running turn; nil without one
}

// Send runs one turn until one of the ten reasons ends it. The last event is always Ended. The error is non-nil only
// with an Ended whose reason is error. Cancelling ctx ends the turn and keeps what there is. Leaving the loop does
// the same, and waits for running calls.
func (c Chat) Send(ctx context.Context, conv provider.Conversation, text string) event.Events {
	return c.SendAll(ctx, conv, provider.Message{Role: provider.RoleUser, Text: text})
}

// SendAll is Send with several messages, such as those of a prompt, with their attachments and roles. Without messages
// it continues a turn that was stopped by a limit, you or a failure, with fresh limits. If the last message is the
// model's, a short message asks it to continue.
func (c Chat) SendAll(ctx context.Context, conv provider.Conversation, messages ...provider.Message) event.Events {
	begin := validated(messages)
	for _, m := range slices.Backward(conv.With(begin...).Messages()) {
		if m.Role == provider.RoleAssistant {
			begin = append(begin, provider.Message{Role: provider.RoleUser, Text: provider.ContinueText})
		}
		if m.Role != provider.RoleSummary {
			break
		}
	}
	return c.events(ctx, conv, func(ctx context.Context, t *turn) ending {
		if len(begin) > 0 && !begin[0].IsContinue() {
			t.known.unfinished = 0
		}
		t.append(begin...)
		end := t.run(ctx)
		t.noteRounds(end)
		return end
	})
}

// validated returns a copy of your messages with valid texts.
func validated(messages []provider.Message) []provider.Message {
	all := slices.Clone(messages)
	for i := range all {
		m := &all[i]
		if text := strings.ToValidUTF8(m.Text, "\uFFFD"); text != m.Text {
			m.Text = text
			if len(m.Foreign) > 0 { // the ranges no longer fit
				m.Foreign = []provider.Span{{From: 0, Until: len(text)}}
			}
		}
	}
	return all
}

// Suspend stops the clock of the running turn until resume is called, for a program about to be suspended. Safe for
// concurrent use.
func (s *Shared) Suspend() (resume func()) {
	if w := s.clock.Load(); w != nil {
		return w.suspend()
	}
	return func() {}
}

// Clock returns the work clock of the running turn, or the zero Clock if none runs. Safe for concurrent use.
func (s *Shared) Clock() event.Clock {
	if w := s.clock.Load(); w != nil {
		return w.now()
	}
	return event.Clock{}
}
