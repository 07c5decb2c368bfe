package provider

import (
	"fmt"
	"iter"
	"slices"
	"unicode/utf8"

	"github.com/aloudchat/aloud/sanitize"
)

// What one reply may have. These are for models and servers that never stop: others stay far below.
const (
	MostText      = 4 << 20  // bytes of text, and as many of thinking
	MostPieces    = 1 << 18  // in which they come: each costs more than its bytes
	MostArguments = 1 << 20  // bytes of all calls, with their names
	MostCalls     = 64       // further ones are dropped
	MostLine      = 16 << 20 // bytes of one line or event of a stream
)

// ReasonCut is the Reason of a reply that ended at one of these bounds.
const ReasonCut = "cut"

// ReasonEmpty is the Reason of a reply that says nothing, also when it was asked for again.
const ReasonEmpty = "empty"

// CutMark stands behind the first size bytes of something longer.
func CutMark(size int) string {
	if size < 1<<20 {
		return fmt.Sprintf("[cut: %d kB]", size>>10)
	}
	return fmt.Sprintf("[cut: %d MB]", size>>20)
}

// taken is what of a reply has come.
type taken struct{ text, thinking, pieces, calls, arguments int }

// bounded ends a reply that has more than it may have: with a mark, and as done. The model is not listened to any more.
func bounded(reply iter.Seq2[Chunk, error]) iter.Seq2[Chunk, error] {
	return func(yield func(Chunk, error) bool) {
		var taken taken
		for chunk, err := range reply {
			full := false
			if kind, is := kindOf(err); is && kind == KindTooLarge {
				chunk, err, full = Chunk{Text: "\n" + CutMark(MostLine)}, nil, true
			} else {
				full = taken.take(&chunk)
			}
			if full && chunk.Done {
				chunk.Reason = ReasonCut
			}
			if !yield(chunk, err) {
				return
			}
			if full && !chunk.Done {
				yield(Chunk{Done: true, Reason: ReasonCut}, nil)
				return
			}
		}
	}
}

// take cuts a chunk to what the reply may still have, and reports whether that was too little.
func (t *taken) take(c *Chunk) (full bool) {
	if c.Text != "" || c.Thinking != "" {
		t.pieces++
	}
	textFull, thinkingFull := t.cut(&c.Text, &t.text), t.cut(&c.Thinking, &t.thinking)
	return t.takeCalls(c) || textFull || thinkingFull
}

func (t *taken) cut(piece *string, size *int) (full bool) {
	if *piece == "" || *size+len(*piece) <= MostText && t.pieces <= MostPieces {
		*size += len(*piece)
		return false
	}
	room := max(0, min(MostText-*size, len(*piece)-1))
	for room > 0 && !utf8.RuneStart((*piece)[room]) {
		room--
	}
	*piece = (*piece)[:room]
	*size += len(*piece)
	*piece += "\n" + CutMark(*size)
	return true
}

// takeCalls keeps calls as long as there is room for them. The one for which there is none is kept without its arguments.
func (t *taken) takeCalls(c *Chunk) (full bool) {
	for i, call := range c.Calls {
		t.calls++
		t.arguments += len(call.ID) + len(call.Name) + len(call.Arguments)
		if t.arguments > MostArguments {
			c.Calls = slices.Clone(c.Calls[:i+1])
			c.Calls[i] = Call{Name: sanitize.Cut(call.Name, 200), Cut: true}
			return true
		}
	}
	return t.calls > MostCalls
}
