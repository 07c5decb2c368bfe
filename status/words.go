package status

import (
	"fmt"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

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

// Loading gives "Loading qwen3:14b…". A long name is cut in its middle: what tells models apart stands at both ends.
func (l Language) Loading(model string) string {
	if model = sanitize.Line(model); model == "" {
		return l.Phase(Loading)
	}
	w := l.words()
	return w.around(w.loading, cutMiddle(model, titleWidth))
}

// Reading gives "Reading 12.4k tokens…".
func (l Language) Reading(tokens int) string {
	if tokens <= 0 {
		return l.Phase(Reading)
	}
	return fmt.Sprintf(l.words().reading, Count(tokens))
}

// Attaching gives "Reading @files:notes.txt…", for what is read from a server. A long address is cut in its middle.
func (l Language) Attaching(what string) string {
	w := l.words()
	return w.around(w.attaching, cutMiddle(sanitize.Line(what), titleWidth))
}

// Using gives "Using Read File…", or "Using 3 tools: Read File, Search Issues, …". Titles come from Title.
func (l Language) Using(titles ...string) string {
	w := l.words()
	switch len(titles) {
	case 0:
		return l.Phase(UsingTool)
	case 1:
		return w.around(w.using, titles[0])
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

// Asks gives "Everything asks you something", for a server that does.
func (l Language) Asks(server string) string {
	w := l.words()
	return w.around(w.asks, cutMiddle(upperFirst(sanitize.Line(server)), titleWidth))
}

// Samples gives "The model writes for everything…", for a server that wants it to.
func (l Language) Samples(server string) string {
	w := l.words()
	return w.around(w.samples, cutMiddle(sanitize.Line(server), titleWidth))
}

// Retrying gives "Retrying (2/3)".
func (l Language) Retrying(attempt, attempts int) string {
	return fmt.Sprintf(l.words().retrying, attempt, attempts)
}

// Failed gives "Tool Read File failed, trying alternative approach…".
func (l Language) Failed(title string) string {
	w := l.words()
	return w.around(w.failed, title)
}

// Finishing is what the line says while an answer has the last moments of a turn.
func (l Language) Finishing() string { return l.words().finishing }

// Stopped gives "Stopped: 10 tool rounds used".
func (l Language) Stopped(reason string) string {
	if reason = sanitize.Line(reason); reason == "" {
		return l.Phase(Stopped)
	}
	return fmt.Sprintf(l.words().stopped, reason)
}

// StoppedByYou gives "Stopped by you".
func (l Language) StoppedByYou() string { return l.words().stoppedByYou }

// ToStop is the hint how to stop: "esc to stop".
func (l Language) ToStop(key string) string { return fmt.Sprintf(l.words().toStop, key) }

// ToRetry is the hint what can be done when nothing comes: "esc to stop, then /retry".
func (l Language) ToRetry(key, command string) string {
	return fmt.Sprintf(l.words().toRetry, key, command)
}

// Silent gives "No output for 12s", where that is the first word.
func (l Language) Silent(d time.Duration) string {
	return upperFirst(fmt.Sprintf(l.words().silent, Duration(d)))
}

// SilentSince gives "No output since 14:02:31", where that is the first word and does not run.
func (l Language) SilentSince(heard time.Time) string {
	return upperFirst(fmt.Sprintf(l.words().silentSince, timeOfDay(heard)))
}

// Likely gives "Loading qwen3:14b, about 14s", for a line that shows no clock.
func (l Language) Likely(words string, expected time.Duration) string {
	return fmt.Sprintf(l.words().likely, strings.TrimSuffix(words, "…"), Duration(expected))
}

// Stall has the words of the offer that is made when a reply has fallen silent.
func (l Language) Stall() StallWords { return l.words().stall }

// around puts words of unknown origin into a format. Where no space stands between words, one still stands between scripts: 使用 Read File, but 使用文件.
func (w *words) around(format, words string) string {
	if w.tight {
		if first, _ := utf8.DecodeRuneInString(words); unspaced(first) {
			format = strings.Replace(format, " %s", "%s", 1)
		}
		if last, _ := utf8.DecodeLastRuneInString(words); unspaced(last) {
			format = strings.Replace(format, "%s ", "%s", 1)
		}
	}
	return fmt.Sprintf(format, words)
}

// unspaced tells whether a letter belongs to a script that parts words without spaces.
func unspaced(r rune) bool { return unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana) }

// Tools gives "3 tools", or "3 tools, 1 failed", of a turn that is over.
func (l Language) Tools(n, failed int) string {
	w := l.words().receipt
	tools := fmt.Sprintf(w.tools, n)
	if n == 1 {
		tools = fmt.Sprintf(w.tool, n)
	}
	if failed > 0 {
		return fmt.Sprintf(w.failed, tools, failed)
	}
	return tools
}

// Loaded gives "load 9s".
func (l Language) Loaded(took time.Duration) string {
	return fmt.Sprintf(l.words().receipt.load, Brief(took))
}

// Reloaded gives "load 9s (context 8k → 16k)", of a model that was in memory with another context.
func (l Language) Reloaded(took time.Duration, from, to int) string {
	return fmt.Sprintf(l.words().receipt.reload, l.Loaded(took), size(from), size(to))
}

// size is a context as people name it: 8k has 8192 tokens.
func size(tokens int) string {
	if tokens >= 1024 && tokens%1024 == 0 {
		return fmt.Sprintf("%dk", tokens/1024)
	}
	return Count(tokens)
}

// HasRead gives "read 2.1k tok 3s".
func (l Language) HasRead(tokens int, took time.Duration) string {
	return fmt.Sprintf(l.words().receipt.read, Count(tokens), Brief(took))
}

// Wrote gives "412 tok at 31/s", or "412 tok" when nobody measured how long that took.
func (l Language) Wrote(tokens int, took time.Duration) string {
	w := l.words().receipt
	if took <= 0 || tokens <= 0 {
		return fmt.Sprintf(w.wrote, Count(tokens))
	}
	return fmt.Sprintf(w.speed, Count(tokens), perSecond(tokens, took))
}
