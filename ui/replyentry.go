package ui

import (
	"strings"

	"github.com/aloudchat/aloud/sanitize"
	"github.com/aloudchat/aloud/ui/markdown"
)

// replyEntry is an answer of the model, rendered as Markdown while it is written: finished blocks once, the open one when it grew.
type replyEntry struct {
	text    strings.Builder // clean source, all of it
	filter  sanitize.Filter
	stored  string // of an earlier conversation: becomes text when it is needed
	partial bool   // stopped before its end
	done    bool

	drawn        // rows of finished blocks, and after them those of the open one
	finished int // rows of finished blocks
	fed      int // bytes of text the splitter has seen
	split    markdown.Splitter
	draw     *markdown.Renderer // nil when all is drawn
	code     markdown.Block     // the last block if it is code, slices put together
	codeAt   int                // its first row
}

// wholeCode is up to which size code that arrives in slices is highlighted from its beginning: a string or comment may span slices.
const wholeCode = 8 << 10

func newReplyEntry() *replyEntry { return &replyEntry{} }

// storedReply is an answer of an earlier conversation. It costs nothing until it comes into view.
func storedReply(text string, partial bool) *replyEntry {
	return &replyEntry{stored: text, partial: partial, done: true}
}

// write adds what the model wrote.
func (r *replyEntry) write(delta string) { r.text.WriteString(r.filter.Write(delta)) }

// finish ends the answer; partial marks one that was stopped.
func (r *replyEntry) finish(partial bool) {
	r.text.WriteString(r.filter.Flush())
	r.partial, r.done = partial, true
}

// source is the answer's Markdown.
func (r *replyEntry) source() string {
	r.unpack()
	return strings.TrimSpace(r.text.String())
}

// unpack turns a stored answer into text.
func (r *replyEntry) unpack() {
	if r.stored != "" {
		r.text.WriteString(sanitize.Text(r.stored))
		r.stored = ""
	}
}

func (r *replyEntry) lines(width int, st *look) []string {
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
func (r *replyEntry) begin(width int, st *look) {
	style := markdown.Light()
	if st.dark {
		style = markdown.Dark()
	}
	r.draw = markdown.NewRenderer(width, st.method, style)
	r.split, r.finished, r.fed, r.code = markdown.Splitter{}, 0, 0, markdown.Block{}
}

// catchUp renders what was written since the last frame.
func (r *replyEntry) catchUp() {
	r.rows = r.rows[:r.finished]
	r.settle(r.split.Write(r.text.String()[r.fed:]))
	r.fed = r.text.Len()
	if !r.done {
		r.finished = len(r.rows)
		r.append(r.draw.Draft, r.split.Open())
		return
	}
	r.settle(r.split.Close())
	if r.partial {
		r.rows = append(r.rows, r.look.styles.dim.Render(clip("… stopped here", r.width, r.look)))
	}
	r.finished, r.draw = len(r.rows), nil
}

// settle renders finished blocks.
func (r *replyEntry) settle(blocks []markdown.Block) {
	for i := 0; i < len(blocks); i++ {
		b := blocks[i]
		if b.Kind != markdown.Code {
			r.append(r.draw.Render, b)
			continue
		}
		if b.Rest && len(r.code.Source)+len(b.Source) < wholeCode {
			b.Source, b.Tight = r.code.Source+"\n"+b.Source, r.code.Tight
			r.rows = r.rows[:r.codeAt]
		}
		for i+1 < len(blocks) && blocks[i+1].Rest && len(b.Source)+len(blocks[i+1].Source) < wholeCode {
			i++
			b.Source += "\n" + blocks[i].Source
		}
		r.code, r.codeAt = b, len(r.rows)
		r.append(r.draw.Render, b)
	}
}

func (r *replyEntry) append(draw func(markdown.Block) []string, b markdown.Block) {
	if b.Source == "" {
		return
	}
	rows := draw(b)
	if len(rows) > 0 && len(r.rows) > 0 && !b.Tight {
		r.rows = append(r.rows, "")
	}
	r.rows = append(r.rows, rows...)
}
