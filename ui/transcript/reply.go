package transcript

import (
	"strings"

	"github.com/aloudchat/aloud/ui/look"
	"github.com/aloudchat/aloud/ui/markdown"
)

// replyEntry is an answer of the model, rendered as Markdown while it is written: finished blocks once, the open one
// when it grew.
type replyEntry struct {
	stream
	partial bool // stopped before its end, and nothing below says so

	drawn        // rows of finished blocks, and after them those of the open one
	finished int // rows of finished blocks
	fed      int // bytes of text the splitter has seen
	split    markdown.Splitter
	draw     *markdown.Renderer // nil when all is drawn
	code     markdown.Block     // the last block if it is code, slices put together
	codeAt   int                // its first row
}

// wholeCode is how many bytes of code in slices are coloured from the beginning: a string or comment may span slices.
const wholeCode = 4 << 10

func storedReply(text string, partial bool) *replyEntry {
	return &replyEntry{stream: stream{stored: text, done: true}, partial: partial}
}

// source is the answer's Markdown.
func (r *replyEntry) source() string {
	r.unpack()
	return strings.TrimSpace(r.text.String())
}

func (r *replyEntry) fresh() entry { return &replyEntry{stream: r.copy(), partial: r.partial} }

func (r *replyEntry) lines(width int, st *look.Look) []string {
	r.unpack()
	if r.stale(width, st) {
		r.begin(width, st)
	}
	if r.draw != nil && (r.done || r.fed < r.text.Len()) {
		r.catchUp()
	}
	return r.rows
}

// begin renders from the first block on.
func (r *replyEntry) begin(width int, st *look.Look) {
	style := markdown.Light()
	switch {
	case st.Mono:
		style = markdown.Style{}
	case st.Dark:
		style = markdown.Dark()
	}
	r.draw = markdown.NewRenderer(width, st.Method, style)
	r.split, r.code = markdown.Splitter{}, markdown.Block{}
	r.finished, r.fed = 0, 0
}

// catchUp renders what was written since the last frame.
func (r *replyEntry) catchUp() {
	r.rows = r.rows[:r.finished]
	r.settle(r.split.Write(r.text.String()[r.fed:]))
	r.fed = r.text.Len()
	if !r.done {
		r.finished = len(r.rows)
		r.append(r.joined(r.split.Open()))
		return
	}
	r.settle(r.split.Close())
	if r.partial {
		r.rows = append(r.rows, r.look.Dim.Render(r.look.Clip("… stopped here", r.width)))
	}
	r.finished, r.draw = len(r.rows), nil
}

// settle renders finished blocks. A slice of code is drawn together with those before it, as the open one is.
func (r *replyEntry) settle(blocks []markdown.Block) {
	for i, b := range blocks {
		if b.Kind == markdown.Code {
			b = r.joined(b)
			r.code, r.codeAt = b, len(r.rows)
			if i+1 < len(blocks) && r.goesOn(blocks[i+1]) {
				continue
			}
		}
		r.append(b)
	}
}

// goesOn reports whether a block is the next slice of the code before it.
func (r *replyEntry) goesOn(b markdown.Block) bool {
	return b.Kind == markdown.Code && b.Rest && len(r.code.Source)+len(b.Source) < wholeCode
}

// joined puts the slices of code before a block in front of it, and takes their rows away.
func (r *replyEntry) joined(b markdown.Block) markdown.Block {
	if b.Source != "" && r.goesOn(b) {
		b.Source, b.Tight = r.code.Source+"\n"+b.Source, r.code.Tight
		r.rows = r.rows[:r.codeAt]
	}
	return b
}

func (r *replyEntry) append(b markdown.Block) {
	if b.Source == "" {
		return
	}
	rows := r.draw.Render(b)
	if len(rows) > 0 && len(r.rows) > 0 && !b.Tight {
		r.rows = append(r.rows, "")
	}
	r.rows = append(r.rows, rows...)
}
