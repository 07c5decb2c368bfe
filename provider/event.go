package provider

import (
	"time"

	"github.com/aloudchat/aloud/mcpclient"
	"github.com/aloudchat/aloud/status"
)

// Event is something that happened in a turn. The set is closed.
type Event interface{ event() }

type (
	// Text is a piece of the answer, raw: sanitise before showing.
	Text struct{ Delta string }
	// Thinking is a piece of the model's reasoning, raw.
	Thinking struct{ Delta string }
	// Status is a new state of the status line.
	Status struct{ State status.State }
	// Notice is one sentence for the transcript: no tools with this model, a repaired call.
	Notice struct{ Text string }
	// ToolCalled says that the model wants a call. Every one is followed by a ToolFinished with the same ID.
	ToolCalled struct{ Call ToolCall }
	// ToolFinished has the call with its Status, Result and Duration.
	ToolFinished struct{ Call ToolCall }
	// Asked asks you. The turn stands still until the next event is pulled: call Answer before that, else the turn ends as cancelled.
	Asked struct {
		Call    ToolCall
		Tool    mcpclient.Tool
		Pattern string // what "for this session" and "always" would allow
		Diff    string // what the call is about to change, as a unified diff, raw; "" when that is not known
		Why     string // why it is asked although it was allowed before, in one line; "" when it was not
		Doubt   string // why the call would fail as things are now, raw; "" when nothing speaks against it
		answer  **Decision
	}
	// Withdrawn says that the Text and Thinking since the last Appended do not count: the reply broke off and is asked for again, or was not
	// meant to be read.
	Withdrawn struct{}
	// Stalled says that a reply has been silent for so long, or has not begun for much longer than it should take. The turn goes on waiting.
	Stalled struct{ Silence time.Duration }
	// Compacted says that older messages were summarised, or their tool results left out, to make room. It follows the Appended of the message
	// that says so.
	Compacted struct {
		Messages      int // how many messages are covered now
		Before, After int // about how many tokens the next request has, without and with it
	}
	// Appended says that messages are now part of the conversation: sessions store them.
	Appended struct{ Messages []Message }
	// Ended is the last event of every turn, also of cancelled and failed ones.
	Ended struct {
		Result       Result
		Conversation Conversation // everything so far, partial text included
		Err          error        // with stop reason error: the cause, usually an *Error
	}
)

func (Text) event()         {}
func (Thinking) event()     {}
func (Status) event()       {}
func (Notice) event()       {}
func (ToolCalled) event()   {}
func (ToolFinished) event() {}
func (Asked) event()        {}
func (Withdrawn) event()    {}
func (Stalled) event()      {}
func (Compacted) event()    {}
func (Appended) event()     {}
func (Ended) event()        {}

// Decision is the answer to Asked.
type Decision struct {
	Allow   bool
	Session bool   // with Allow: and those that fit Pattern for the rest of the session
	Always  bool   // with Allow: and for ever
	Reason  string // with a refusal: told to the model, which goes on; without one the turn stops as denied
}

// Answer gives the decision. The last one given before the next event is pulled counts; it must not be called at the same time as that or later.
func (a Asked) Answer(d Decision) {
	if a.answer != nil {
		*a.answer = &d
	}
}
