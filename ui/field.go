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
	if over := st.method.StringWidth(f.text) - width + 2; over > 0 {
		return "…" + st.method.TruncateLeft(f.text, over, "") + st.styles.accent.Render("▏")
	}
	return f.text + st.styles.accent.Render("▏")
}
