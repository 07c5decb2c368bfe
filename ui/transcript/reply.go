package transcript

import (
	"strings"

	"github.com/charmbracelet/x/ansi"

	"github.com/aloudchat/aloud/ui/look"
	"github.com/aloudchat/aloud/ui/markdown"
)

// replyEntry is an answer of the model, rendered as Markdown while it is written: finished blocks once, the open one
// after each change.
type replyEntry struct {
	stream
	partial bool // stopped before its end, and no entry below shows that
	dim     bool // a thought: drawn dimmed behind a gutter, without colours

	drawn                       // rows of finished blocks, and after them those of the open one
	finished int                // rows of finished blocks
	fed      int                // number of bytes passed to the renderer
	draw     *markdown.Renderer // nil if everything is drawn
}

func storedReply(text string, partial bool) *replyEntry {
	return &replyEntry{stream: stream{text: text, done: true}, partial: partial}
}

// source returns the answer's Markdown.
func (r *replyEntry) source() string { return strings.TrimSpace(r.clean()) }

func (r *replyEntry) fresh() entry { return &replyEntry{stream: r.copy(), partial: r.partial} }

func (r *replyEntry) lines(width int, st *look.Look) []string {
	if r.stale(width, st) {
		r.begin(width, st)
	}
	if r.draw != nil && (r.done || r.fed < r.growing.Len()) {
		r.catchUp()
	}
	return r.rows
}

// begin starts to render from the first block.
func (r *replyEntry) begin(width int, st *look.Look) {
	style := st.Markdown()
	if r.dim {
		width, style = gutterRoom(width), markdown.Style{HideAddresses: st.Links}
	}
	r.draw = markdown.NewRenderer(width, st.Method, style)
	r.finished, r.fed = 0, 0
}

// catchUp renders the text since the last frame.
func (r *replyEntry) catchUp() {
	text := r.clean()
	r.rows = append(r.rows[:r.finished], r.shade(r.draw.Write(text[r.fed:]))...)
	r.finished, r.fed = len(r.rows), len(text)
	if !r.done {
		r.rows = append(r.rows, r.shade(r.draw.Open())...)
		return
	}
	r.rows = append(r.rows, r.shade(r.draw.Close())...)
	if r.partial {
		r.rows = append(r.rows, r.look.Dim.Render(r.look.Clip("… stopped here", r.width)))
	}
	r.draw = nil
}

// shade dims rows behind a gutter, except those of an answer.
func (r *replyEntry) shade(rows []string) []string {
	if r.dim {
		for i, row := range rows {
			if row = ansi.Strip(row); row != "" {
				row = r.look.Dim.Render(row)
			}
			rows[i] = strings.TrimRight(gutter(r.width, r.look)+row, " ")
		}
	}
	return rows
}
