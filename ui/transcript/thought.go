package transcript

import (
	"regexp"
	"strings"
	"time"

	"github.com/aloudchat/aloud/ui/look"
	"github.com/aloudchat/aloud/ui/markdown"
)

// While a thought is written and thoughts are folded, its last rows are shown, which are in its last bytes.
const (
	liveThought = 6
	liveBytes   = 4 << 10
)

// thoughtEntry is the model's reasoning, dimmed: a few rows while it is written, one line afterwards, all when unfolded.
type thoughtEntry struct {
	stream
	took time.Duration // negative if it is not known

	drawn
	fed int // bytes of text that the rows were made of
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
	text := t.text.String()
	if !t.stale(width, st) && t.fed == len(text) || strings.TrimSpace(text) == "" {
		return t.rows
	}
	t.fed = len(text)
	if t.done && !st.Thinking {
		t.rows = []string{st.Dim.Render(st.Clip("· "+t.title(), width))}
		return t.rows
	}
	if !st.Thinking {
		text = text[strings.LastIndexByte(text[:max(0, len(text)-liveBytes)], '\n')+1:]
	}
	t.rows = t.rows[:0]
	for _, row := range markdown.Wrap(plainHeadings(text), look.Reading(width), st.Method) {
		row = strings.TrimRight(row, " ")
		if row != "" || len(t.rows) > 0 && t.rows[len(t.rows)-1] != "" { // never more than one blank row
			t.rows = append(t.rows, row)
		}
	}
	if n := len(t.rows); n > 0 && t.rows[n-1] == "" {
		t.rows = t.rows[:n-1]
	}
	if !st.Thinking {
		t.rows = t.rows[max(0, len(t.rows)-liveThought):]
	}
	look.Paint(t.rows, st.Dim)
	return t.rows
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
