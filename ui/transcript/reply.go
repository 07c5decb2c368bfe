package transcript

import (
	"strings"

	"github.com/aloudchat/aloud/ui/look"
	"github.com/aloudchat/aloud/ui/markdown"
)

// replyEntry is an answer of the model, rendered as Markdown while it is written: finished blocks once, the open one when it grew.
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
	coloured int                // bytes of code so far
}

// Colours are most of what code costs to render.
const (
	wholeCode   = 4 << 10  // bytes of code in slices that are highlighted from the beginning: a string or comment may span slices
	colouredMax = 64 << 10 // bytes of code with colours in one answer
)

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
	r.finished, r.fed, r.coloured = 0, 0, 0
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
		r.rows = append(r.rows, r.look.Dim.Render(r.look.Clip("… stopped here", r.width)))
	}
	r.finished, r.draw = len(r.rows), nil
}

// settle renders finished blocks.
func (r *replyEntry) settle(blocks []markdown.Block) {
	for i := 0; i < len(blocks); i++ {
		if blocks[i].Kind != markdown.Code {
			r.append(r.draw.Render, blocks[i])
			continue
		}
		code := blocks[i]
		if code.Rest && len(r.code.Source)+len(code.Source) < wholeCode {
			code = joined(r.code, code)
			r.rows = r.rows[:r.codeAt]
		}
		for i+1 < len(blocks) && blocks[i+1].Rest && len(code.Source)+len(blocks[i+1].Source) < wholeCode {
			i++
			code = joined(code, blocks[i])
		}
		r.settleCode(code)
	}
}

// joined is code with the slice after it.
func joined(code, rest markdown.Block) markdown.Block {
	code.Source += "\n" + rest.Source
	return code
}

func (r *replyEntry) settleCode(code markdown.Block) {
	r.code, r.codeAt = code, len(r.rows)
	r.coloured += len(code.Source)
	draw := r.draw.Render
	if r.coloured > colouredMax {
		draw = r.draw.Draft
	}
	r.append(draw, code)
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
