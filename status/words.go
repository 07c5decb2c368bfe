package status

import (
	"cmp"
	"fmt"
	"strings"
	"time"

	"github.com/aloudchat/aloud/internal/quantity"
	"github.com/aloudchat/aloud/internal/sanitize"
	"github.com/aloudchat/aloud/provider/event"
)

// The functions here describe steps. Each returns one safe line without clocks.

// nameCells is the most cells for the name of a model or server, or an address.
const nameCells = 40

var phaseWords = map[Phase]string{
	Connecting:  "Connecting to servers…",
	Analyzing:   "Analyzing request…",
	Loading:     "Loading the model…",
	Reading:     "Reading…",
	Thinking:    "Thinking…",
	Selecting:   "Selecting appropriate tools…",
	UsingTool:   "Using a tool…",
	Processing:  "Processing tool results…",
	Formulating: "Formulating response…",
	Approval:    "Waiting for your approval",
	Retrying:    "Retrying…",
	Compacting:  "Compacting…",
	ToolFailed:  "A tool failed, trying alternative approach…",
	Stopped:     "Stopped",
}

// Words returns the text of a phase without details, "" when idle.
func (p Phase) Words() string { return phaseWords[p] }

// ConnectingTo returns "Connecting to servers (1/3)".
func ConnectingTo(settled, all int) string {
	return fmt.Sprintf("Connecting to servers (%d/%d)", settled, all)
}

// loadingModel returns "Loading qwen3:14b…". A long name is cut in its middle, because models differ at both ends.
func loadingModel(model string) string {
	if model = sanitize.Line(model); model == "" {
		return phaseWords[Loading]
	}
	return "Loading " + sanitize.CutMiddle(model, nameCells) + "…"
}

// readingTokens returns "Reading about 12.4k tokens…", or "Reading the prompt…" if it is unknown how many.
func readingTokens(tokens int, mark event.Mark) string {
	if mark == event.Unknown {
		return "Reading the prompt…"
	}
	return "Reading " + marked(mark, tokens) + " tokens…"
}

// marked returns "2.1k", "about 2.1k" or "up to 2.1k".
func marked(mark event.Mark, tokens int) string {
	words := map[event.Mark]string{event.About: "about ", event.UpTo: "up to "}
	return words[mark] + quantity.Count(tokens)
}

// Attaching returns "Reading @files:notes.txt…". A long address is cut in its middle.
func Attaching(what string) string {
	return "Reading " + sanitize.CutMiddle(sanitize.Line(what), nameCells) + "…"
}

// asksForInput returns "Everything asks for input".
func asksForInput(server string) string {
	return sanitize.CutMiddle(upperFirst(sanitize.Line(server)), nameCells) + " asks for input"
}

// retryingAttempt returns "Retrying (2/3)".
func retryingAttempt(attempt, attempts int) string {
	return fmt.Sprintf("Retrying (%d/%d)", attempt, attempts)
}

// toolFailed returns "Tool Read File failed, trying alternative approach…".
func toolFailed(title string) string {
	return "Tool " + title + " failed, trying alternative approach…"
}

// Finishing is shown while an answer may use the last seconds of a turn.
const Finishing = "Finishing…"

// stoppedWords returns why a turn was stopped: "Stopped: 10 tool rounds used", "Stopped by you", "Stopped by a signal",
// or "" if the model answered.
func stoppedWords(s event.Stop) string {
	why := sanitize.Line(s.Why)
	switch {
	case s.Reason == event.Done:
		return ""
	case s.Reason == event.Cancelled:
		return cmp.Or(upperFirst(why), "Stopped by you")
	case s.Reason == event.Failed:
		return "Stopped: an error"
	case why == "":
		return phaseWords[Stopped]
	}
	return "Stopped: " + why
}

// repeated adds to the words of a step that the reply repeats itself: "Thinking · repeats itself".
func repeated(words string) string {
	return strings.TrimSuffix(words, "…") + separator + "repeats itself"
}

// Stops returns the hint "esc stops".
func Stops(key string) string { return key + " stops" }

// Silent returns "No output for 12s".
func Silent(d time.Duration) string { return upperFirst(silentFor(d)) }

func silentFor(d time.Duration) string { return "no output for " + quantity.Duration(d) }

// Likely returns "Loading qwen3:14b, about 14s", for a line without clocks.
func Likely(words string, expected time.Duration) string {
	return strings.TrimSuffix(words, "…") + ", about " + quantity.Duration(expected)
}
