package dialog

import (
	tea "charm.land/bubbletea/v2"

	"github.com/aloudchat/aloud/session"
	"github.com/aloudchat/aloud/ui/look"
	"github.com/aloudchat/aloud/ui/markdown"
)

// NewHelp shows commands and keys, each with what it does.
func NewHelp(commands, keys [][2]string) Dialog {
	return newText("Help", func(width int, st *look.Look) []string {
		out := append([]string{"", "  " + st.Heading.Render("Commands")}, st.Columns(commands, width)...)
		out = append(append(out, "", "  "+st.Heading.Render("Keys")), st.Columns(keys, width)...)
		note := "To select with the mouse hold shift (option on a Mac) while dragging, or press ctrl+t first."
		return st.Prose(append(out, ""), note, width, st.Dim.Render)
	})
}

// later is the text of a page that opened before it was known.
type later struct {
	page *page
	draw func(width int, st *look.Look) []string
}

// NewStats says how turns went. It opens empty: the command reads all conversations.
func NewStats(count func() (session.Stats, error)) (Dialog, tea.Cmd) {
	p := newText("How turns went", func(width int, st *look.Look) []string {
		return st.Prose(nil, "Counting…", width, st.Dim.Render)
	})
	return p, func() tea.Msg {
		counted, err := count()
		return later{p, func(width int, st *look.Look) (out []string) {
			if err != nil {
				out = append(st.Prose(out, Sentence(err), width, st.Warn.Render), "")
			}
			for _, row := range markdown.Wrap(counted.Text(), max(1, width-2), st.Method) {
				out = append(out, "  "+row)
			}
			return out
		}}
	}
}
