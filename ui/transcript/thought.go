package transcript

import (
	"regexp"
	"strings"
	"time"

	"github.com/aloudchat/aloud/ui/look"
	"github.com/aloudchat/aloud/ui/markdown"
)

// liveThought is how many rows of a thought are shown while it is written and thoughts are folded.
const liveThought = 6

// longLine is how many bytes of the line being written are wrapped again for a frame. A longer line breaks there.
const longLine = 4 << 10

// thoughtEntry is the model's reasoning, dimmed: a few rows while it is written, one line afterwards, all when unfolded.
type thoughtEntry struct {
	stream
	took time.Duration // negative if it is not known

	drawn
	size int // bytes of text that the rows were made of
	fed  int // bytes in finished lines
	kept int // rows of finished lines
}

func storedThought(text string) *thoughtEntry {
	return &thoughtEntry{stream: stream{stored: text, done: true}, took: -1}
}

// finish ends the thought, which took d.
func (t *thoughtEntry) finish(d time.Duration) {
	t.end()
	t.took = d
	t.forget()
}

func (t *thoughtEntry) lines(width int, st *look.Look) []string {
	t.unpack()
	if t.stale(width, st) {
		t.size, t.fed, t.kept = 0, 0, 0
	}
	text := t.text.String()
	switch {
	case strings.TrimSpace(text) == "":
		return nil
	case t.done && !st.Thinking:
		if t.rows == nil {
			t.rows = []string{st.Dim.Render(st.Clip("· "+t.title(), width))}
		}
		return t.rows
	}
	if t.size < len(text) { // only the line being written is wrapped again, and not all of a long one
		t.rows = t.rows[:t.kept]
		end := strings.LastIndexByte(text, '\n') + 1
		if len(text)-max(end, t.fed) > longLine {
			end = len(text)
		}
		if end > t.fed {
			t.wrap(strings.TrimSuffix(text[t.fed:end], "\n"), st)
			t.fed, t.kept = end, len(t.rows)
		}
		t.wrap(text[t.fed:], st)
		t.size = len(text)
	}
	rows := t.rows
	if n := len(rows); n > 0 && rows[n-1] == "" {
		rows = rows[:n-1]
	}
	if !st.Thinking {
		rows = rows[max(0, len(rows)-liveThought):]
	}
	return rows
}

// wrap appends rows of text, with never more than one blank row between others.
func (t *thoughtEntry) wrap(text string, st *look.Look) {
	from := len(t.rows)
	for _, row := range markdown.Wrap(plainHeadings(text), look.Reading(t.width), st.Method) {
		row = strings.TrimRight(row, " ")
		if row != "" || len(t.rows) > 0 && t.rows[len(t.rows)-1] != "" {
			t.rows = append(t.rows, row)
		}
	}
	look.Paint(t.rows[from:], st.Dim)
}

func (t *thoughtEntry) fresh() entry { return &thoughtEntry{stream: t.copy(), took: t.took} }

// title is the line a thought folds to.
func (t *thoughtEntry) title() string {
	switch {
	case t.took < 0:
		return "Thought"
	case t.took < time.Second:
		return "Thought for a moment"
	}
	return "Thought for " + t.took.Round(time.Second).String()
}

// boldLine is a line that is bold as a whole, as far as it is written: models head their thoughts with such lines.
var boldLine = regexp.MustCompile(`(?m)^\*\*([^*\n]+)\**[ \t]*$`)

func plainHeadings(text string) string { return boldLine.ReplaceAllString(text, "$1") }
