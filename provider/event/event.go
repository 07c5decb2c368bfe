// Package event has what a turn tells its observers: its events in the order in which they happen, and its [Result]
// with the [Reason] for its end. Texts of models and tools are valid UTF-8 but not sanitised: the code that displays
// them must do that.
package event

import (
	"context"
	"iter"
	"strings"
	"time"

	"github.com/aloudchat/aloud/mcpclient"
	"github.com/aloudchat/aloud/provider"
)

// Event is an event of a turn. Only this package can declare events.
type Event interface{ event() }

// Events are the events of a turn. They must be pulled one at a time.
type Events = iter.Seq2[Event, error]

type (
	// Text is a piece of the answer. It is not sanitised.
	Text struct{ Delta string }
	// Thinking is a piece of the model's reasoning. It is not sanitised.
	Thinking struct {
		Delta string
		Again bool // repeats thinking that was withdrawn with a text
	}
	// Notice is one sentence for the transcript, for example that a model has no tools.
	Notice struct{ Text string }
	// ToolCalled reports a call that the model asks for. A ToolFinished with the same ID always follows.
	ToolCalled struct{ Call ToolCall }
	// ToolFinished reports a finished call with its Status, Result and Duration.
	ToolFinished struct {
		Call   ToolCall
		Images [][]byte // of the result, also for a model without vision
	}
	// Asked requests approval of a call. Answer must be called before the next event is pulled, or the turn ends as
	// cancelled. The last answer counts.
	Asked struct {
		Call    ToolCall
		Tool    mcpclient.Tool
		Pattern string // what "for this session" and "always" would allow
		Host    string // the host that Pattern is limited to, or ""
		Diff    string // the change the call would make, as a unified diff, not sanitised; "" if unknown
		Why     string // one line: why approval is needed although the call was allowed before, or ""
		Doubt   string // why the call would fail now, not sanitised, or ""
		Answer  func(Decision)
	}
	// Withdrawn reports that the Text and Thinking since the last Appended are discarded, because the reply broke off and
	// is requested again, or was not part of the answer.
	Withdrawn struct {
		Repeats bool // the same text follows, with its repetition shortened
	}
	// Stalled reports that a reply has been silent for this long, or has not started when expected. The turn continues.
	Stalled struct{ Silence time.Duration }
	// Compacted reports that older messages were summarised, or their tool results dropped, to make room. It follows the
	// Appended of the summary. Its JSON form is part of the stream-json contract.
	Compacted struct {
		Messages int `json:"messages"` // number of messages covered
		Before   int `json:"before"`   // estimated tokens of the next request
		After    int `json:"after"`
	}
	// Appended reports messages added to the conversation. Sessions store them.
	Appended struct{ Messages []provider.Message }
	// Ended is the last event of every turn, even of one that was cancelled or failed.
	Ended struct {
		Result       Result
		Conversation provider.Conversation // everything so far, partial text included
		Err          error                 // for stop reason error: the cause, usually an *Error
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
	Session bool // with Allow: also calls that match Pattern, for the rest of the session
	Always  bool // with Allow: also in later sessions
	// without Allow: sent to the model, which continues; if "", the turn ends as denied
	Reason string
}

// Activity is an Event that reports what the turn is doing and does not change the conversation. The status line is
// drawn from these and the other events.
type Activity interface {
	Event
	isActivity()
}

// activity makes a struct an Activity.
type activity struct{}

func (activity) event()      {}
func (activity) isActivity() {}

type (
	// Began is the first event of every turn.
	Began struct {
		activity
		Model  string
		Rounds int // limit of tool rounds
	}
	// Connecting reports how many tool servers are ready or failed while the turn waits for them.
	Connecting struct {
		activity
		Settled, All int
	}
	// Requesting reports a request to the model. It is the first event of a request.
	Requesting struct {
		activity
		Attempt, Attempts int    // more than 1 if the same reply is requested again
		Failed            string // title of the last failed tool in the request, or ""
	}
	// Loading reports that the model is being loaded into memory, for about Expected (0 if unknown).
	Loading struct {
		activity
		Expected time.Duration
	}
	// Reading reports that the model reads the prompt: Tokens that its server has not cached. If Mark is Unknown, Tokens
	// is the size of the whole prompt.
	Reading struct {
		activity
		Tokens   int
		Mark     Mark
		Expected time.Duration // 0 if unknown
	}
	// Overloaded reports that the model server is overloaded and will be asked again soon.
	Overloaded struct{ activity }
	// Calling reports a piece of a reply that is a call or may become one.
	Calling struct {
		activity
		Calls int // complete calls of the reply
	}
	// HeldBack reports a piece of a reply that is held back until its meaning is clear.
	HeldBack struct{ activity }
	// Repeating reports that the next piece of a reply repeats what was before it.
	Repeating struct{ activity }
	// Replied has the server's measurements of a reply.
	Replied struct {
		activity
		Usage provider.Usage
	}
	// Running reports the calls that run now. It is repeated when one finishes and others continue.
	Running struct {
		activity
		Calls  []ToolCall    // the one that started first is first
		Worked time.Duration // by the turn so far
		// Ask asks the model for a few words about the first call. It is nil if that would invalidate the server's prompt
		// cache. It must return before the next event is pulled after a call has finished.
		Ask  func(ctx context.Context, prompt string) (string, error)
		Wait time.Duration // how long a call should have run before asking
	}
	// Progress reports the progress of a running call, at most a few times a second.
	Progress struct {
		activity
		ID string
		mcpclient.Progress
	}
	// ServerAsks reports which server asks for input while its tool runs. Server is "" when no server asks any more.
	ServerAsks struct {
		activity
		Server string
	}
	// Compacting reports that a summary is being written, and its tokens so far.
	Compacting struct {
		activity
		Tokens int
	}
	// Finishing reports that the time limit is reached and the answer may still be finished. See Clock.Ends.
	Finishing struct{ activity }
)

// DiffCounts counts the lines that a unified diff adds and removes.
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

// Clock is the state of a turn's work clock at a moment.
type Clock struct {
	At        time.Time
	Worked    time.Duration
	Turn      time.Duration // since the turn began, except while you were asked and while the program was suspended
	Paused    bool          // you are being asked, or the model is being loaded
	Ends      time.Time     // when the turn will be stopped because its time limit is reached, if not Paused, or zero
	Suspended time.Duration // how long the program was suspended since the turn began
}
