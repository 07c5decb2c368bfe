package transcript

import (
	"slices"

	"github.com/aloudchat/aloud/internal/sanitize"
	"github.com/aloudchat/aloud/ui/look"
)

// pinnedHeight is the least height of a view that has a row for a pinned question.
const pinnedHeight = 8

// pinKey has what the row of a pinned question depends on.
type pinKey struct {
	top   entry
	width int
	look  *look.Look
}

// pinned returns the row at the top of a view that is scrolled up: the question of the answer below it. It is "" if the
// question is in view itself. The row covers a row of text, so that nothing moves.
func (t *Transcript) pinned() string {
	if t.follow || t.height < pinnedHeight || len(t.entries) == 0 {
		return ""
	}
	at := pinKey{t.entries[t.top.entry], t.width, t.look}
	return t.pin.Of(at, func() string { return pinnedRow(t.entries[:t.top.entry+1], t.width, t.look) })
}

// pinnedRow draws the last question of some entries in one row, unless it is the last entry.
func pinnedRow(entries []entry, width int, st *look.Look) string {
	for i, e := range slices.Backward(entries) {
		u, ok := e.(*userEntry)
		if ok && i == len(entries)-1 {
			return ""
		}
		if ok && u.asked {
			margin := look.Margin(width)
			width -= 2 * margin
			text := sanitize.Line(sanitize.Cut(u.text, 8*width))
			row := st.Clip(st.User.Render("↑")+" "+text, width)
			return st.Inset(st.Question.Fill(row, width, st.Method), margin)
		}
	}
	return ""
}
