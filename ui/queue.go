package ui

import (
	"github.com/aloudchat/aloud/sanitize"
	"github.com/aloudchat/aloud/ui/look"
)

// queueRows draws the inputs that wait for the turn to end, at most height of them. The last one can be taken back while the composer has the keys.
func queueRows(queue []waiting, composing bool, width, height int, st *look.Look) []string {
	var out []string
	for i, q := range queue {
		if i >= height {
			break
		}
		hint := ""
		if i == len(queue)-1 && composing && width >= 60 {
			hint = "  backspace takes it back"
		}
		room := max(1, width-4-len(hint))
		out = append(out, "  "+st.Dim.Render("↳ "+st.Clip(sanitize.Line(q.input.Text), room))+st.Faint.Render(hint))
	}
	return out
}
