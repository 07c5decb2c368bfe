package event

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/aloudchat/aloud/internal/quantity"
	"github.com/aloudchat/aloud/internal/sanitize"
	"github.com/aloudchat/aloud/provider"
)

// Reason is the reason for the end of a turn. The values are part of the command line's contract.
type Reason string

// The ten reasons. After Iterations, Errors, Time and InvalidTool the model was asked once more, without tools, for an
// answer from its results so far.
const (
	Done        Reason = "done"         // the model answered
	GaveUp      Reason = "gave_up"      // the model said that it cannot, or gave no answer
	Iterations  Reason = "iterations"   // all tool rounds were used
	Errors      Reason = "errors"       // too many calls failed in a row
	Time        Reason = "time"         // the time limit was reached
	InvalidTool Reason = "invalid_tool" // a tool that does not exist was called again
	Length      Reason = "length"       // the answer was cut off: it was too long, or repeated itself
	Denied      Reason = "denied"       // you refused a call and chose to stop
	Cancelled   Reason = "cancelled"    // you or a signal stopped the turn
	Failed      Reason = "error"        // the model or its server failed
)

// IsLimit reports whether the model was asked once more after the turn ended for this reason.
func (r Reason) IsLimit() bool {
	return r == Iterations || r == Errors || r == Time || r == InvalidTool
}

// Cause distinguishes ends with the same Reason. "" is the usual one. The values are part of the command line's
// contract. A Cause is an error so that it can be the cause of a cancelled context.
type Cause string

// The causes.
const (
	EmptyAnswer     Cause = "empty_answer"     // GaveUp without any text
	OnlyThinking    Cause = "only_thinking"    // GaveUp without any text but thinking
	AutoLimit       Cause = "auto_limit"       // Iterations: limits.iterations is "auto"
	SameResults     Cause = "same_results"     // Iterations: the same call gave the same result
	AnswerRepeats   Cause = "answer_repeats"   // Length
	ThinkingRepeats Cause = "thinking_repeats" // Length
	AnswerTooLong   Cause = "answer_too_long"  // Length: more than aloud keeps
	ReplyTooLong    Cause = "reply_too_long"   // Length: the same with thinking and calls
	WindowFull      Cause = "window_full"      // Length
	TokenLimit      Cause = "token_limit"      // Length: a limit of the model server
	Unapproved      Cause = "unapproved"       // Denied: aloud could not ask for approval
	BySignal        Cause = "signal"           // Cancelled
	LostOutput      Cause = "output"           // Cancelled: standard output cannot be written
	ServerGone      Cause = "server_gone"      // Failed: the model server cannot be reached, or the connection was lost
	ModelMissing    Cause = "model_missing"    // Failed
	TooLong         Cause = "context_exceeded" // Failed: the conversation does not fit in the context window
	OutOfMemory     Cause = "out_of_memory"    // Failed
	Unauthorized    Cause = "unauthorized"     // Failed: no key or login, or a wrong one
	Busy            Cause = "busy"             // Failed: the server has too many requests
)

func (c Cause) Error() string { return causes[c] }

// Stop has the facts about the end of a turn, and the sentences that Told makes from them.
type Stop struct {
	Reason Reason `json:"reason"`
	Detail string `json:"detail"` // one sentence, or ""
	Limit  any    `json:"limit"`  // the limit's value: 10, 3, "2m0s", 8192; nil if unknown or if no limit was reached

	Why   string `json:"why,omitempty"` // Detail in a few words, such as "10 tool rounds used"; "" with Failed
	Cause Cause  `json:"cause,omitempty"`
	Tool  string `json:"tool,omitempty"`  // title of the one that was refused or failed last; an unknown name
	Error string `json:"error,omitempty"` // with Errors: of the last failed call
	Hint  string `json:"hint,omitempty"`  // with Failed: what to do, the end of Detail after "; "
	// what was counted: rounds, calls, milliseconds, bytes or tokens, or with GaveUp the requests; 0 if unknown
	Value int `json:"value,omitempty"`
}

// ByLimit reports whether a limit ended the turn.
func (s Stop) ByLimit() bool { return s.Reason.IsLimit() || s.Reason == Length }

// StopOf returns the Stop of work whose context was cancelled.
func StopOf(ctx context.Context) Stop {
	cause, _ := errors.AsType[Cause](context.Cause(ctx))
	return Stop{Reason: Cancelled, Cause: cause}.Told("")
}

// failures are the causes of failures that callers act on.
var failures = map[provider.Kind]Cause{
	provider.KindUnavailable: ServerGone, provider.KindBroken: ServerGone, provider.KindMissing: ModelMissing,
	provider.KindTooLong: TooLong, provider.KindMemory: OutOfMemory, provider.KindUnauthorized: Unauthorized,
	provider.KindBusy: Busy,
}

// FailedBy returns the Stop of a turn that failed. err is usually a *provider.Error.
func FailedBy(err error) Stop {
	stop := Stop{Reason: Failed, Detail: err.Error()}
	if e, ok := errors.AsType[*provider.Error](err); ok {
		stop.Detail, stop.Hint, stop.Cause = e.Detail(), e.Hint, failures[e.Kind]
	}
	return stop.Told("")
}

// settings are the keys that change the limits.
var settings = map[Reason]string{
	Iterations: "limits.iterations", Errors: "limits.consecutive_errors", Time: "limits.total_time",
}

// Told returns the stop with its sentences. answer is what is wrong with the answer after a limit, or "". The Detail of
// Failed is given.
func (s Stop) Told(answer string) Stop {
	clean := func(text string) string { return sanitize.Line(strings.ToValidUTF8(text, "\uFFFD")) }
	s.Tool, s.Error, s.Hint = clean(s.Tool), clean(s.Error), clean(s.Hint)
	if s.Reason != Failed {
		s.Detail, s.Why = s.why()+s.lastError(), sanitize.Cut(s.why(), 200)
	}
	switch key := settings[s.Reason]; {
	case s.Cause == AutoLimit:
		s.Detail += fmt.Sprintf(" (%s = auto)", key)
	case key != "" && s.Cause == "":
		s.Detail += fmt.Sprintf(" (%s = %v)", key, s.Limit)
	}
	if answer != "" {
		s.Detail += "; " + answer
	}
	if s.Detail = clean(s.Detail); s.Reason.IsLimit() {
		s.Detail = "[Unable to complete task: " + s.Detail + "]"
	}
	return s
}

// ForModel returns the reason for the model, which reads nothing else about the end.
func (s Stop) ForModel() string {
	switch s.Reason {
	case Failed:
		return "an error"
	case Cancelled:
		return cmp.Or(s.why(), "stopped by the user")
	}
	return s.why() + s.lastError()
}

func (s Stop) lastError() string {
	if s.Reason != Errors {
		return ""
	}
	return ", the last was " + s.Tool + ": " + strings.TrimSuffix(s.Error, ".")
}

// causes are the words of causes without numbers and names.
var causes = map[Cause]string{
	EmptyAnswer:     "the model gave an empty answer",
	OnlyThinking:    "the model only thought and gave no answer",
	AnswerRepeats:   "the answer repeats itself",
	ThinkingRepeats: "the thinking repeats itself",
	ReplyTooLong:    "the reply is too long",
	WindowFull:      "the context window is full",
	TokenLimit:      "the model server's limit of tokens is reached",
	BySignal:        "stopped by a signal",
	LostOutput:      "stopped because standard output cannot be written",
}

// why returns the reason in a few words. It is "" if the model answered, you stopped the turn, or it failed.
func (s Stop) why() string {
	switch {
	case s.Reason == GaveUp && s.Value > 1:
		return causes[s.Cause] + ", even when asked again"
	case s.Cause == SameResults:
		return fmt.Sprintf("%s called %d times with the same arguments and the same result", s.Tool, s.Value)
	case s.Cause == AutoLimit:
		return quantity.Plural(s.Value, "tool round") + " used, the limit that aloud chose"
	case s.Cause == AnswerTooLong:
		return fmt.Sprintf("the answer is longer than %d MB", s.Value>>20)
	case s.Cause == WindowFull && s.Value > 0:
		window := provider.Window{Tokens: s.Value, Assumed: s.Limit == nil}
		return fmt.Sprintf("the context window of %s tokens is full", window)
	case s.Cause == TokenLimit && s.Value > 0:
		return "the model server's limit of " + quantity.Plural(s.Value, "token") + " is reached"
	case s.Cause == Unapproved:
		return s.Tool + " needs approval, but aloud could not ask"
	case s.Cause != "":
		return causes[s.Cause]
	}
	switch s.Reason {
	case GaveUp:
		return "the model says that it cannot do this"
	case Iterations:
		return quantity.Plural(s.Value, "tool round") + " used"
	case Errors:
		return quantity.Plural(s.Value, "tool call") + " failed in a row"
	case Time:
		return quantity.Duration(time.Duration(s.Value)*time.Millisecond) + " of work used"
	case InvalidTool:
		return fmt.Sprintf("the model called %q again, a tool that does not exist", s.Tool)
	case Denied:
		return s.Tool + " was refused"
	}
	return ""
}
