package status

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"time"

	"github.com/aloudchat/aloud/sanitize"
)

const (
	patience  = 2 * time.Second // for one sentence
	maxMisses = 3               // in a row, then no more is asked
)

// Writer asks a model for sentences with a time limit, and gives up for the session after three misses in a row.
// The zero value never asks. Safe for concurrent use.
type Writer struct {
	// Ask makes one quick request and returns the model's raw words. ctx carries the deadline; Ask returns soon after its end.
	Ask func(ctx context.Context, prompt string) (string, error)

	mu     sync.Mutex
	misses int // in a row
}

// Write returns a sentence for the tool, or "" when there is none in time (2 s). Cancel ctx when the tool is done: that is no miss.
func (w *Writer) Write(ctx context.Context, tool, arguments string) string {
	if w == nil || w.Ask == nil || w.gaveUp() {
		return ""
	}
	asking, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	words, err := w.Ask(asking, prompt(tool, arguments))
	if ctx.Err() != nil {
		return "" // the tool was quicker
	}
	sentence, ok := Sentence(words)
	ok = ok && err == nil && asking.Err() == nil && !strings.EqualFold(sentence, example)
	w.count(ok)
	if !ok {
		return ""
	}
	return sentence
}

func (w *Writer) gaveUp() bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.misses >= maxMisses
}

func (w *Writer) count(hit bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.misses++; hit {
		w.misses = 0
	}
}

// example is what a small model follows more than any order. One that only repeats it has said nothing.
const example = "Reading the open issues of the project"

// prompt asks for one sentence. Long arguments are cut: reading them would take the time that the sentence has.
func prompt(tool, arguments string) string {
	const most = 300 // bytes
	arguments = sanitize.Line(arguments)
	if len(arguments) > most {
		arguments = strings.ToValidUTF8(arguments[:most], "") + "…"
	}
	return fmt.Sprintf("You are now running the tool %q with the arguments %s. Tell the user what you are doing, in the language of their question: "+
		"one sentence of at most %d words that starts with a present participle, such as: %s. Write only this sentence: no quotes, no markdown, no tool call.",
		sanitize.Line(tool), arguments, sentenceWords, example)
}
