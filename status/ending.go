package status

import (
	"cmp"
	"slices"
	"strings"

	"github.com/aloudchat/aloud/internal/sanitize"
	"github.com/aloudchat/aloud/provider/event"
)

// Ways are what you can do after a turn that did not finish, each with its command: "/retry asks again". "" means that
// there is no such command.
type Ways struct {
	GoOn  string // continues the turn
	Retry string // sends the message again
	Model string // chooses another model; needs Retry
	Room  string // makes room in the context window
}

// Ending returns why a turn failed or its answer was cut off, what to do, and on a second line the ways that help.
// After another limit it returns only the ways, because a notice has given the reason. Otherwise it returns "".
func Ending(r event.Result, ways Ways) string {
	told := ""
	switch s := r.Stop; s.Reason {
	case event.Failed:
		why, hinted := strings.CutSuffix(s.Detail, "; "+s.Hint)
		if told = sentence(cmp.Or(why, "the turn failed")); hinted {
			told += " " + sentence(s.Hint)
		}
	case event.Length:
		told = sentence(s.Why) + " " + lengthHint(s.Cause)
	}
	return strings.TrimSpace(told + "\n" + ways.After(r))
}

// After returns the ways that help after a turn on one line: "/continue goes on · /retry asks again".
func (w Ways) After(r event.Result) string {
	var ways []string
	switch stop := r.Stop; {
	case stop.Reason == event.Failed:
		ways = w.afterFailure(stop.Cause, r.Usage.AnswerTokens > 0 || len(r.ToolCalls) > 0)
	case stop.Cause == event.WindowFull:
		ways = []string{w.GoOn, w.Room}
	case stop.Cause == event.AnswerRepeats, stop.Cause == event.ThinkingRepeats:
		ways = []string{w.Retry, w.Model, w.GoOn}
	case stop.ByLimit():
		ways = []string{w.GoOn}
	}
	ways = slices.DeleteFunc(ways, func(way string) bool { return way == "" })
	return upperFirst(strings.Join(ways, separator))
}

// afterFailure leaves out the ways that would fail again. begun means that the turn has text or calls to continue with.
func (w Ways) afterFailure(cause event.Cause, begun bool) []string {
	switch cause {
	case event.Unauthorized: // the hint has all there is
		return nil
	case event.OutOfMemory, event.ModelMissing:
		if w.Model != "" {
			return []string{w.Model + ", then " + w.Retry}
		}
		return nil
	case event.TooLong:
		return []string{w.Room}
	}
	ways := []string{w.Retry}
	if begun {
		ways = []string{w.GoOn, w.Retry}
	}
	if cause == "" {
		ways = append(ways, w.Model)
	}
	return ways
}

// lengthHint returns what to do after an answer was cut off.
func lengthHint(cause event.Cause) string {
	switch cause {
	case event.AnswerRepeats, event.ThinkingRepeats:
		return "Ask again, or use another model."
	case event.WindowFull:
		return "Set a larger context, or start a new conversation."
	}
	return "Ask for a shorter answer."
}

func sentence(words string) string {
	return upperFirst(strings.TrimSuffix(sanitize.Line(words), ".")) + "."
}
