package transcript

import (
	"strings"
	"time"

	"github.com/aloudchat/aloud/internal/quantity"
	"github.com/aloudchat/aloud/internal/sanitize"
	"github.com/aloudchat/aloud/ui/look"
)

const (
	liveThought  = 6               // rows of a folded thought that are shown while it is written
	shortThought = 2 * time.Second // a shorter one has no row
)

// thoughtEntry is the model's reasoning, dimmed and behind a gutter: a few rows while it is written, then one line with
// its heading, and all of it when unfolded.
type thoughtEntry struct {
	replyEntry
	took time.Duration // so far; negative if unknown
}

func newThought() *thoughtEntry { return &thoughtEntry{replyEntry: replyEntry{dim: true}} }

func storedThought(text string, took time.Duration) *thoughtEntry {
	return &thoughtEntry{replyEntry: replyEntry{stream: stream{text: text, done: true}, dim: true}, took: took}
}

// think adds a piece of a thought that has taken d so far.
func (t *thoughtEntry) think(delta string, d time.Duration) {
	t.write(delta)
	t.took = d
}

// finish ends the thought, which took d.
func (t *thoughtEntry) finish(d time.Duration) {
	t.end()
	t.forget()
	t.took = d
}

// isHidden reports whether a thought has no row, because it is short. It appears once it is not, so that no row ever
// disappears.
func (t *thoughtEntry) isHidden(st *look.Look) bool {
	return !st.Details && t.isShort()
}

func (t *thoughtEntry) isShort() bool { return t.took >= 0 && t.took < shortThought }

func (t *thoughtEntry) lines(width int, st *look.Look) []string {
	switch {
	case t.isHidden(st):
		t.forget()
		return nil
	case st.Details:
		return t.replyEntry.lines(width, st)
	case !t.done:
		rows := t.replyEntry.lines(width, st)
		return rows[max(0, len(rows)-liveThought):]
	case t.stale(width, st):
		if heading := headingOf(t.clean()); heading != "" {
			words := st.Clip(look.Dotted(t.title(), heading), look.Reading(gutterRoom(width)))
			t.rows = []string{gutter(width, st) + st.Dim.Render(words)}
		}
	}
	return t.rows
}

func (t *thoughtEntry) fresh() entry {
	return &thoughtEntry{replyEntry: replyEntry{stream: t.copy(), dim: true}, took: t.took}
}

// title begins the line of a folded thought.
func (t *thoughtEntry) title() string {
	if t.took < 0 {
		return "Thought"
	}
	return "Thought for " + quantity.Duration(t.took)
}

// headingOf returns the last heading of a thought, or else its first words.
func headingOf(text string) (heading string) {
	const longest = 400 // bytes
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(line)
		words := strings.Trim(line, "#*_ ")
		isHeading := strings.HasPrefix(line, "#") || strings.HasPrefix(line, "**") && strings.HasSuffix(line, "**")
		if words != "" && (heading == "" || isHeading) {
			heading = words
		}
	}
	return sanitize.Line(sanitize.Cut(heading, longest))
}

// gutter is the mark before each row of a thought. A narrow screen has none.
func gutter(width int, st *look.Look) string {
	if gutterRoom(width) == width {
		return ""
	}
	return st.Faint.Render("│") + " "
}

// gutterRoom returns how much of a width a thought has beside its gutter.
func gutterRoom(width int) int {
	if width < 20 {
		return width
	}
	return width - 2
}
