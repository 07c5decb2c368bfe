package status

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/aloudchat/aloud/sanitize"
)

// The functions here put what is known of a step into words of a language. All of them give one safe line without clocks, whatever the
// details contain.

// Phase is what the line says in a phase of which nothing more is known. "" when idle.
func (l Language) Phase(p Phase) string { return l.words().phases[p] }

// Connecting gives "Connecting to servers (1/3)".
func (l Language) Connecting(settled, all int) string {
	return fmt.Sprintf(l.words().connecting, settled, all)
}

// Loading gives "Loading qwen3:14b…".
func (l Language) Loading(model string) string {
	if model = sanitize.Line(model); model == "" {
		return l.Phase(Loading)
	}
	return fmt.Sprintf(l.words().loading, model)
}

// Reading gives "Reading 12.4k tokens…".
func (l Language) Reading(tokens int) string {
	if tokens <= 0 {
		return l.Phase(Reading)
	}
	return fmt.Sprintf(l.words().reading, Count(tokens))
}

// Using gives "Using Read File…", or "Using 3 tools: Read File, Search Issues, …". Titles come from Title.
func (l Language) Using(titles ...string) string {
	w := l.words()
	switch len(titles) {
	case 0:
		return l.Phase(UsingTool)
	case 1:
		return fmt.Sprintf(w.using, titles[0])
	case 2:
		return fmt.Sprintf(w.usingSeveral, 2, titles[0]+w.comma+titles[1])
	}
	return fmt.Sprintf(w.usingSeveral, len(titles), titles[0]+w.comma+titles[1]+w.comma+"…")
}

// UsingFor gives the sentence of one call among n that run: "Using 3 tools: Looking up the user". With n < 2 it is the sentence alone.
func (l Language) UsingFor(n int, sentence string) string {
	if n < 2 {
		return sentence
	}
	return fmt.Sprintf(l.words().usingSeveral, n, sentence)
}

// Progress tells how far a tool says it is: "Index Repository · 40/120", or "Index Repository · 40" when total is 0, and then its message.
func (l Language) Progress(title string, done, total float64, message string) string {
	words := title + separator + amount(done)
	if total > 0 {
		words += "/" + amount(total)
	}
	if message = sanitize.Line(message); message != "" {
		words += separator + message
	}
	return words
}

// Retrying gives "Retrying (2/3)".
func (l Language) Retrying(attempt, attempts int) string {
	return fmt.Sprintf(l.words().retrying, attempt, attempts)
}

// Failed gives "Tool Read File failed, trying alternative approach…".
func (l Language) Failed(title string) string { return fmt.Sprintf(l.words().failed, title) }

// Stopped gives "Stopped: 10 tool rounds used".
func (l Language) Stopped(reason string) string {
	if reason = sanitize.Line(reason); reason == "" {
		return l.Phase(Stopped)
	}
	return fmt.Sprintf(l.words().stopped, reason)
}

// ToStop is the hint how to stop: "esc to stop".
func (l Language) ToStop(key string) string { return fmt.Sprintf(l.words().toStop, key) }

// Tools gives "3 tools", of a turn that is over.
func (l Language) Tools(n int) string {
	w := l.words().receipt
	if n == 1 {
		return fmt.Sprintf(w.tool, n)
	}
	return fmt.Sprintf(w.tools, n)
}

// Loaded gives "load 9s".
func (l Language) Loaded(took time.Duration) string {
	return fmt.Sprintf(l.words().receipt.load, Brief(took))
}

// HasRead gives "read 2.1k tok 3s".
func (l Language) HasRead(tokens int, took time.Duration) string {
	return fmt.Sprintf(l.words().receipt.read, Count(tokens), Brief(took))
}

// Wrote gives "412 tok at 31/s", or "412 tok" when nobody measured how long that took.
func (l Language) Wrote(tokens int, took time.Duration) string {
	w := l.words().receipt
	if took <= 0 {
		return fmt.Sprintf(w.wrote, Count(tokens))
	}
	return fmt.Sprintf(w.speed, Count(tokens), int64(float64(tokens)/took.Seconds()))
}

// Brief is a time that is over: "0.4s", "18s", "2m05s".
func Brief(took time.Duration) string {
	if took < 950*time.Millisecond {
		return fmt.Sprintf("0.%ds", max(1, (took.Milliseconds()+50)/100))
	}
	return Duration(took.Round(time.Second))
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
