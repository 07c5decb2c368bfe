package status

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"time"

	"github.com/aloudchat/aloud/internal/sanitize"
	"github.com/aloudchat/aloud/provider/event"
)

const (
	patience  = 2 * time.Second // for one sentence
	maxMisses = 3               // in a row; then no more are requested
)

// writer requests sentences about calls from the model, one at a time, and gives up after three misses in a row. Its
// methods must be called from one goroutine.
type writer struct {
	call    string // the last call that a sentence was requested for, or ""
	cancel  context.CancelFunc
	running sync.WaitGroup
	misses  int // in a row
}

// write requests a sentence about a call, once, and passes it to wrote on another goroutine.
func (w *writer) write(
	ctx context.Context, e event.Running, call event.ToolCall, wrote func(ctx context.Context, sentence string),
) {
	if w.call == call.ID {
		return
	}
	if w.stop(""); w.misses >= maxMisses {
		return
	}
	ctx, w.cancel = context.WithCancel(ctx)
	w.call = call.ID
	w.running.Go(func() {
		select {
		case <-time.After(e.Wait):
		case <-ctx.Done():
			return
		}
		asking, cancel := context.WithTimeout(ctx, patience)
		defer cancel()
		words, err := e.Ask(asking, prompt(call.Title, string(call.Arguments)))
		if ctx.Err() != nil {
			return // the tool was faster, so this is not a miss
		}
		sentence, ok := sentenceOf(words)
		if !ok || err != nil || asking.Err() != nil || strings.EqualFold(sentence, example) {
			w.misses++
			return
		}
		w.misses = 0
		wrote(ctx, sentence)
	})
}

// stop ends the request about a call, or with "" any request, and waits for its end.
func (w *writer) stop(call string) {
	if w.call != "" && (call == "" || call == w.call) {
		w.cancel()
		w.running.Wait()
		w.call = ""
	}
}

// example guides small models better than instructions do. A reply that repeats it is a miss.
const example = "Reading the open issues of the project"

// prompt asks for one sentence. Long arguments are truncated, because reading them takes too long.
func prompt(tool, arguments string) string {
	const most = 300 // bytes
	arguments = sanitize.Clip(sanitize.Line(sanitize.Cut(arguments, 4*most)), most)
	return fmt.Sprintf("You are now running the tool %q with the arguments %s. Tell the user what you are doing, in the "+
		"language of their question: one sentence of at most %d words that starts with a present participle, such as: %s. "+
		"Write only this sentence: no quotes, no markdown, no tool call.",
		sanitize.Line(tool), arguments, sentenceWords, example)
}
