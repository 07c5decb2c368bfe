package ui

import (
	tea "charm.land/bubbletea/v2"

	"github.com/aloudchat/aloud/sanitize"
)

// field is one short line of input in a dialog, edited at its end.
type field struct{ text string }

func (f *field) key(k tea.KeyPressMsg) {
	switch k.String() {
	case "backspace":
		if r := []rune(f.text); len(r) > 0 {
			f.text = string(r[:len(r)-1])
		}
	case "ctrl+u":
		f.text = ""
	default:
		f.text += sanitize.Line(k.Text)
		if k.Text == " " {
			f.text += " "
		}
	}
}

func (f *field) insert(text string) { f.text += sanitize.Line(text) }

// view shows the end of the text, where it is edited.
func (f *field) view(width int, st *look) string {
	cursor := st.styles.accent.Render("▏")
	if st.method.StringWidth(f.text) < width {
		return f.text + cursor
	}
	end := []rune(f.text)
	end = end[max(0, len(end)-8*width):] // whatever else was pasted
	for len(end) > 0 && st.method.StringWidth(string(end)) > width-2 {
		end = end[1:]
	}
	return "…" + string(end) + cursor
}
