package provider

import (
	"fmt"
	"iter"
	"slices"
	"unicode/utf8"

	"github.com/aloudchat/aloud/internal/sanitize"
)

// Limits of one reply, against models and servers that never stop. Normal replies stay far below.
const (
	MaxText      = 4 << 20  // bytes of text, and the same of thinking
	MaxPieces    = 1 << 18  // chunks with text: each costs more than its bytes
	MaxArguments = 1 << 20  // bytes of all calls, with their names
	MaxCalls     = 64       // the rest are dropped
	MaxLine      = 16 << 20 // bytes of one line or event of a stream
)

// Reasons of chunks. Servers send ReasonLength; the others come from aloud.
const (
	ReasonLength  = "length"  // the context window is full, or the server's limit of tokens is reached
	ReasonFull    = "full"    // the context window is full, as an error of the server says
	ReasonCut     = "cut"     // the reply exceeded one of the limits above
	ReasonRepeats = "repeats" // the reply repeated itself and was stopped
	ReasonEmpty   = "empty"   // the reply stayed empty when requested again
)

// IsCut reports whether a reply with this Reason ended before the model was done.
func IsCut(reason string) bool {
	return slices.Contains([]string{ReasonLength, ReasonFull, ReasonCut, ReasonRepeats}, reason)
}

// CutMark returns the mark that follows the first size bytes of a truncated text.
func CutMark(size int) string {
	if size < 1<<20 {
		return fmt.Sprintf("[cut: %d kB]", size>>10)
	}
	return fmt.Sprintf("[cut: %d MB]", size>>20)
}

// taken counts the received parts of a reply.
type taken struct{ text, thinking, pieces, calls, arguments int }

// bounded ends a reply that exceeds the limits: it marks the text and stops reading the stream. An error that the
// conversation is too long also ends a reply that has begun: together with the prompt, it fills the context.
func bounded(reply iter.Seq2[Chunk, error]) iter.Seq2[Chunk, error] {
	return func(yield func(Chunk, error) bool) {
		var taken taken
		begun := false
		for chunk, err := range reply {
			full := false
			switch kind, is := kindOf(err); {
			case is && kind == KindTooLarge:
				chunk, err, full = Chunk{Text: "\n" + CutMark(MaxLine)}, nil, true
			case is && kind == KindTooLong && begun:
				chunk, err = Chunk{Done: true, Reason: ReasonFull}, nil
			default:
				full = taken.take(&chunk)
				begun = begun || chunk.Phase == PhaseNone && chunk.Notice == "" // a piece of the reply
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

// take truncates a chunk to the limits and reports whether it had to.
func (t *taken) take(c *Chunk) (full bool) {
	if c.Text != "" || c.Thinking != "" {
		t.pieces++
	}
	textFull, thinkingFull := t.cut(&c.Text, &t.text), t.cut(&c.Thinking, &t.thinking)
	return t.takeCalls(c) || textFull || thinkingFull
}

func (t *taken) cut(piece *string, size *int) (full bool) {
	if *piece == "" || *size+len(*piece) <= MaxText && t.pieces <= MaxPieces {
		*size += len(*piece)
		return false
	}
	room := max(0, min(MaxText-*size, len(*piece)-1))
	for room > 0 && !utf8.RuneStart((*piece)[room]) {
		room--
	}
	*piece = (*piece)[:room]
	*size += len(*piece)
	*piece += "\n" + CutMark(*size)
	return true
}

// takeCalls keeps calls up to the limit. The first call beyond it keeps only its name.
func (t *taken) takeCalls(c *Chunk) (full bool) {
	for i, call := range c.Calls {
		t.calls++
		t.arguments += len(call.ID) + len(call.Name) + len(call.Arguments)
		if t.arguments > MaxArguments {
			c.Calls = slices.Clone(c.Calls[:i+1])
			c.Calls[i] = Call{Name: sanitize.Cut(call.Name, 200), Cut: true}
			return true
		}
	}
	return t.calls > MaxCalls
}
