package provider

import (
	"context"
	"strings"
	"time"

	"github.com/aloudchat/aloud/mcpclient"
)

// Event is something that happened in a turn. The set is closed.
type Event interface{ event() }

type (
	// Text is a piece of the answer, raw: sanitise before showing.
	Text struct{ Delta string }
	// Thinking is a piece of the model's reasoning, raw.
	Thinking struct {
		Delta string
		Again bool // it was told before, and withdrawn with a text
	}
	// Notice is one sentence for the transcript: no tools with this model, a repaired call.
	Notice struct{ Text string }
	// ToolCalled says that the model wants a call. Every one is followed by a ToolFinished with the same ID.
	ToolCalled struct{ Call ToolCall }
	// ToolFinished has the call with its Status, Result and Duration.
	ToolFinished struct{ Call ToolCall }
	// Asked asks you. The turn stands still until the next event is pulled: call Answer before that, else the turn ends as cancelled. The
	// last answer counts.
	Asked struct {
		Call    ToolCall
		Tool    mcpclient.Tool
		Pattern string // what "for this session" and "always" would allow
		Diff    string // what the call is about to change, as a unified diff, raw; "" when that is not known
		Why     string // why it is asked although it was allowed before, in one line; "" when it was not
		Doubt   string // why the call would fail as things are now, raw; "" when nothing speaks against it
		Answer  func(Decision)
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
	Session bool   // with Allow: also calls that fit Pattern, for the rest of the session
	Always  bool   // with Allow: also in later sessions
	Reason  string // with a refusal: told to the model, which goes on; without one the turn stops as denied
}

// Activity is an Event that says what the turn is doing and changes nothing in the conversation. The status line is made of these and of the
// other events.
type Activity interface {
	Event
	activity()
}

// activity makes a struct an Activity.
type activity struct{}

func (activity) event()    {}
func (activity) activity() {}

type (
	// Began is the first event of every turn.
	Began struct {
		activity
		Model  string
		Rounds int // the most tool rounds there may be
	}
	// Connecting says how many of the tool servers are ready or failed, while the turn waits for them.
	Connecting struct {
		activity
		Settled, All int
	}
	// Asking says that the model is being asked, which begins with looking up what it can do.
	Asking struct {
		activity
		Attempt, Attempts int    // from the second attempt to get the same reply
		Failed            string // the title of the tool whose failure is the last thing the model is told, or ""
	}
	// Loading says that the model is being loaded into memory, for about Expected; 0 if unknown.
	Loading struct {
		activity
		Expected time.Duration
	}
	// Reading says that the model reads the prompt: about Tokens that its server does not have in its cache.
	Reading struct {
		activity
		Tokens   int
		Expected time.Duration // 0 if unknown
	}
	// Busy says that the model server has no room and is asked again in a while.
	Busy struct{ activity }
	// Calling is a piece of a reply that is a call, or may become one.
	Calling struct {
		activity
		Calls int // complete calls of the reply
	}
	// Held is a piece of a reply that is kept back until it is known what it begins.
	Held struct{ activity }
	// Replied has what the server measured for a reply.
	Replied struct {
		activity
		Usage Usage
	}
	// Running says which calls run now. It comes again when one of them has finished and others go on.
	Running struct {
		activity
		Calls []ToolCall // the one that began first is first
		// Ask asks the model for a few words about the first call. It is nil if that would cost the server's prompt cache. It must have returned
		// before the next event is pulled after a call has finished.
		Ask  func(ctx context.Context, prompt string) (string, error)
		Wait time.Duration // how long a call should have run before it is worth asking
	}
	// Progress says how far a running call is, a few times a second at most.
	Progress struct {
		activity
		ID string
		mcpclient.Progress
	}
	// ServerAsks says which server asks you something while its tool runs; "" means that none does any more.
	ServerAsks struct {
		activity
		Server string
	}
	// Compacting says that a summary is being written, and how many tokens of it there are.
	Compacting struct {
		activity
		Tokens int
	}
	// Finishing says that the time for the work is used, and that the answer being written may still be finished; see Clock.Ends.
	Finishing struct{ activity }
)

// DiffCounts tells how many lines a unified diff adds and removes.
func DiffCounts(diff string) (added, removed int) {
	_, hunks, _ := strings.Cut(diff, "\n@@ ")
	for line := range strings.Lines("@@ " + hunks) {
		switch line[0] {
		case '+':
			added++
		case '-':
			removed++
		}
	}
	return added, removed
}

// Clock is how the work clock of a turn stands at a moment.
type Clock struct {
	At        time.Time
	Worked    time.Duration
	Paused    bool          // you are asked, or the model is being loaded
	Ends      time.Time     // when the turn will be cut off, because the time for its work is used; zero: it is not
	Suspended time.Duration // for which the program was stopped since the turn began
}
