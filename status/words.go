package status

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/aloudchat/aloud/sanitize"
)

// Words is what the line says in a phase of which nothing more is known. The functions below say more for the phases that have details.
// All of them give one safe line, whatever the details contain.
func (p Phase) Words() string {
	switch p {
	case Connecting:
		return "Connecting to servers…"
	case Analyzing:
		return "Analyzing request…"
	case Loading:
		return "Loading the model…"
	case Reading:
		return "Reading…"
	case Thinking:
		return "Thinking…"
	case Selecting:
		return "Selecting appropriate tools…"
	case UsingTool:
		return "Using a tool…"
	case Processing:
		return "Processing tool results…"
	case Formulating:
		return "Formulating response…"
	case Approval:
		return "Waiting for your approval"
	case Retrying:
		return "Retrying…"
	case Compacting:
		return "Compacting…"
	case ToolFailed:
		return "A tool failed, trying alternative approach…"
	case Stopped:
		return "Stopped"
	}
	return ""
}

// ConnectingWords gives "Connecting to servers (1/3)".
func ConnectingWords(settled, all int) string {
	return fmt.Sprintf("Connecting to servers (%d/%d)", settled, all)
}

// LoadingWords gives "Loading qwen3:14b…".
func LoadingWords(model string) string {
	if model = sanitize.Line(model); model == "" {
		return Loading.Words()
	}
	return "Loading " + model + "…"
}

// ReadingWords gives "Reading 12.4k tokens…".
func ReadingWords(tokens int) string {
	if tokens <= 0 {
		return Reading.Words()
	}
	return "Reading " + Count(tokens) + " tokens…"
}

// UsingWords gives "Using Read File…", or "Using 3 tools: Read File, Search Issues, …". Titles come from Title.
func UsingWords(titles ...string) string {
	switch len(titles) {
	case 0:
		return UsingTool.Words()
	case 1:
		return "Using " + titles[0] + "…"
	case 2:
		return "Using 2 tools: " + titles[0] + ", " + titles[1]
	}
	return fmt.Sprintf("Using %d tools: %s, %s, …", len(titles), titles[0], titles[1])
}

// ProgressWords tells how far a tool says it is: "Index Repository · 40/120", or "Index Repository · 40" when total is 0, and then its message.
func ProgressWords(title string, done, total float64, message string) string {
	words := title + " · " + amount(done)
	if total > 0 {
		words += "/" + amount(total)
	}
	if message = sanitize.Line(message); message != "" {
		words += " · " + message
	}
	return words
}

// RetryingWords gives "Retrying (2/3)".
func RetryingWords(attempt, attempts int) string {
	return fmt.Sprintf("Retrying (%d/%d)", attempt, attempts)
}

// FailedWords gives "Tool Read File failed, trying alternative approach…".
func FailedWords(title string) string {
	return "Tool " + title + " failed, trying alternative approach…"
}

// StoppedWords gives "Stopped: 10 tool rounds used".
func StoppedWords(reason string) string {
	if reason = sanitize.Line(reason); reason == "" {
		return Stopped.Words()
	}
	return "Stopped: " + reason
}

// Duration is d in whole seconds as the line shows it: "4s", "1m04s", "2h03m".
func Duration(d time.Duration) string {
	s := int(max(d, 0) / time.Second)
	switch {
	case s < 60:
		return fmt.Sprintf("%ds", s)
	case s < 3600:
		return fmt.Sprintf("%dm%02ds", s/60, s%60)
	}
	return fmt.Sprintf("%dh%02dm", s/3600, s/60%60)
}

// Count is a number of tokens as the line shows it: "412", "12.4k", "128k", "1.2M".
func Count(n int) string {
	switch {
	case n < 1000:
		return strconv.Itoa(max(n, 0))
	case n < 99_950:
		return tenths(float64(n)/1e3) + "k"
	case n < 999_500:
		return fmt.Sprintf("%.0fk", float64(n)/1e3)
	}
	return tenths(float64(n)/1e6) + "M"
}

func tenths(f float64) string {
	return strings.TrimSuffix(strconv.FormatFloat(f, 'f', 1, 64), ".0")
}

// amount writes a step of progress with as many decimals as it needs, two at most: servers count files, bytes, or fractions of one.
func amount(f float64) string {
	s := strconv.FormatFloat(f, 'f', 2, 64)
	if strings.Contains(s, ".") {
		s = strings.TrimRight(strings.TrimRight(s, "0"), ".")
	}
	return s
}
