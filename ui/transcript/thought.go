package transcript

import (
	"strings"
	"time"

	"github.com/aloudchat/aloud/ui/look"
)

// liveThought is the number of rows of a folded thought that are shown while it is written.
const liveThought = 6

// thoughtEntry is the model's reasoning, dimmed: a few rows while it is written, then one line, and all of it when
// unfolded.
type thoughtEntry struct {
	replyEntry
	took time.Duration // negative if unknown
}

func newThought() *thoughtEntry { return &thoughtEntry{replyEntry: replyEntry{dim: true}} }

func storedThought(text string) *thoughtEntry {
	return &thoughtEntry{replyEntry: replyEntry{stream: stream{text: text, done: true}, dim: true}, took: -1}
}

// finish ends the thought, which took d.
func (t *thoughtEntry) finish(d time.Duration) {
	t.end()
	t.took = d
}

func (t *thoughtEntry) lines(width int, st *look.Look) []string {
	if t.done && !st.Details {
		t.forget()
		if strings.TrimSpace(t.text) == "" {
			return nil
		}
		return []string{st.Dim.Render(st.Clip("· "+t.title(), width))}
	}
	rows := t.replyEntry.lines(width, st)
	if !st.Details {
		rows = rows[max(0, len(rows)-liveThought):]
	}
	return rows
}

func (t *thoughtEntry) fresh() entry {
	return &thoughtEntry{replyEntry: replyEntry{stream: t.copy(), dim: true}, took: t.took}
}

// title returns the line of a folded thought.
func (t *thoughtEntry) title() string {
	switch {
	case t.took < 0:
		return "Thought"
	case t.took < time.Second:
		return "Thought for a moment"
	}
	return "Thought for " + t.took.Round(time.Second).String()
}
