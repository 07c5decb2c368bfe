package dialog

import (
	tea "charm.land/bubbletea/v2"

	"github.com/aloudchat/aloud/ui/look"
)

// NewWhy returns a page that explains why a turn takes long, from pairs of a name and a text. typed, unless it is
// nil, gets a key that is text, which closes the page. change returns a message that replaces the pairs.
func NewWhy(pairs [][2]string, typed func(tea.KeyPressMsg)) (d Dialog, change func([][2]string) tea.Msg) {
	p := newText("Why this takes long", func(width int, st *look.Look) []string { return st.Columns(pairs, width) })
	p.typed = typed
	return p, func(newer [][2]string) tea.Msg {
		return result(p, func() {
			pairs = newer
			p.drawn = look.Memo[canvas, []string]{}
		})
	}
}
