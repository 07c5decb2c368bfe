package status

import (
	"fmt"
	"strings"
	"time"

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
	if tokens <= 0 {
		return phaseWords[Reading]
	}
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

// Samples gives "The model writes for everything…", for a server that asks for it.
func Samples(server string) string {
	return "The model writes for " + sanitize.CutMiddle(sanitize.Line(server), nameCells) + "…"
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

// StoppedFor gives "Stopped: 10 tool rounds used".
func StoppedFor(reason string) string {
	if reason = sanitize.Line(reason); reason == "" {
		return phaseWords[Stopped]
	}
	return "Stopped: " + reason
}

// StoppedByYou is what the line says of a turn that you stopped.
const StoppedByYou = "Stopped by you"

// ToStop is the hint how to stop: "esc to stop".
func ToStop(key string) string { return key + " to stop" }

// ToRetry is the hint what can be done when nothing comes: "esc to stop, then /retry".
func ToRetry(key, command string) string { return ToStop(key) + ", then " + command }

// Silent gives "No output for 12s", where that is the first word.
func Silent(d time.Duration) string { return upperFirst(silentFor(d)) }

func silentFor(d time.Duration) string { return "no output for " + quantity.Duration(d) }

func silentSince(heard time.Time) string { return "no output since " + timeOfDay(heard) }

// Likely gives "Loading qwen3:14b, about 14s", for a line that shows no clock.
func Likely(words string, expected time.Duration) string {
	return strings.TrimSuffix(words, "…") + ", about " + quantity.Duration(expected)
}

// UsedTools gives "3 tools", or "3 tools, 1 failed", of a turn that is over.
func UsedTools(n, failed int) string {
	tools := quantity.Plural(n, "tool")
	if failed > 0 {
		return fmt.Sprintf("%s, %d failed", tools, failed)
	}
	return tools
}

// Loaded gives "load 9s".
func Loaded(took time.Duration) string { return "load " + quantity.Brief(took) }

// Reloaded gives "load 9s (context 8k → 16k)", of a model that was in memory with another context.
func Reloaded(took time.Duration, from, to int) string {
	return fmt.Sprintf("%s (context %s → %s)", Loaded(took), quantity.Size(from), quantity.Size(to))
}

// HasRead gives "read 2.1k tok 3s".
func HasRead(tokens int, took time.Duration) string {
	return fmt.Sprintf("read %s tok %s", quantity.Count(tokens), quantity.Brief(took))
}

// Wrote gives "412 tok at 31/s", or "412 tok" when that was not measured.
func Wrote(tokens int, took time.Duration) string {
	if took <= 0 || tokens <= 0 {
		return quantity.Count(tokens) + " tok"
	}
	return fmt.Sprintf("%s tok at %s/s", quantity.Count(tokens), quantity.PerSecond(tokens, took))
}
