package status

import (
	"fmt"
	"strings"
	"time"

	"github.com/aloudchat/aloud/provider"
	"github.com/aloudchat/aloud/quantity"
	"github.com/aloudchat/aloud/sanitize"
)

// The functions here put what is known of a step into words. Each returns one safe line without clocks, whatever the details contain.

// nameCells is how many cells the name of a model, a server or an address may take.
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

// Words is what the line says in a phase of which nothing more is known. "" when idle.
func (p Phase) Words() string { return phaseWords[p] }

// ConnectingTo gives "Connecting to servers (1/3)".
func ConnectingTo(settled, all int) string {
	return fmt.Sprintf("Connecting to servers (%d/%d)", settled, all)
}

// LoadingModel gives "Loading qwen3:14b…". A long name is cut in its middle: what tells models apart stands at both ends.
func LoadingModel(model string) string {
	if model = sanitize.Line(model); model == "" {
		return phaseWords[Loading]
	}
	return "Loading " + sanitize.CutMiddle(model, nameCells) + "…"
}

// ReadingTokens gives "Reading 12.4k tokens…".
func ReadingTokens(tokens int) string {
	return "Reading " + quantity.Count(tokens) + " tokens…"
}

// Attaching gives "Reading @files:notes.txt…", for what is read from a server. A long address is cut in its middle.
func Attaching(what string) string {
	return "Reading " + sanitize.CutMiddle(sanitize.Line(what), nameCells) + "…"
}

// Using gives "Using Read File…", or "Using 3 tools: Read File, Search Issues, …". Titles come from Title.
func Using(titles ...string) string {
	switch n := len(titles); n {
	case 0:
		return phaseWords[UsingTool]
	case 1:
		return "Using " + titles[0] + "…"
	case 2:
		return UsingFor(n, titles[0]+", "+titles[1])
	default:
		return UsingFor(n, titles[0]+", "+titles[1]+", …")
	}
}

// UsingFor gives the sentence of one call among n that run: "Using 3 tools: Looking up the user". With n < 2 it is the sentence alone.
func UsingFor(n int, sentence string) string {
	if n < 2 {
		return sentence
	}
	return fmt.Sprintf("Using %d tools: %s", n, sentence)
}

// Asks gives "Everything asks you something", for a server that does.
func Asks(server string) string {
	return sanitize.CutMiddle(upperFirst(sanitize.Line(server)), nameCells) + " asks you something"
}

// RetryingAttempt gives "Retrying (2/3)".
func RetryingAttempt(attempt, attempts int) string {
	return fmt.Sprintf("Retrying (%d/%d)", attempt, attempts)
}

// Failed gives "Tool Read File failed, trying alternative approach…".
func Failed(title string) string {
	return "Tool " + title + " failed, trying alternative approach…"
}

// Finishing is what the line says while an answer has the last moments of a turn.
const Finishing = "Finishing…"

// StoppedWords say that a turn was stopped and why: "Stopped: 10 tool rounds used", "Stopped by you". They are "" if the model answered.
func StoppedWords(s provider.Stop) string {
	why := s.Why()
	switch s.Reason {
	case provider.Done:
		return ""
	case provider.Cancelled:
		return "Stopped by you"
	case provider.Failed:
		why = "an error"
	}
	if why = sanitize.Line(why); why == "" {
		return phaseWords[Stopped]
	}
	return "Stopped: " + why
}

// ToStop is the hint how to stop: "esc to stop".
func ToStop(key string) string { return key + " to stop" }

// Silent gives "No output for 12s", where that is the first word.
func Silent(d time.Duration) string { return upperFirst(silentFor(d)) }

func silentFor(d time.Duration) string { return "no output for " + quantity.Duration(d) }

// Likely gives "Loading qwen3:14b, about 14s", for a line that shows no clock.
func Likely(words string, expected time.Duration) string {
	return strings.TrimSuffix(words, "…") + ", about " + quantity.Duration(expected)
}
