package dialog

import (
	"slices"

	tea "charm.land/bubbletea/v2"

	"github.com/aloudchat/aloud/ui/look"
)

// fields is a form to fill in.
type fields struct {
	Base
	form    *form
	title   string
	above   func(width int, st *look.Look) []string
	hint    func(width int, st *look.Look) string
	below   func(width, height int, st *look.Look) []string                  // nil: nothing is
	press   func(button int, values map[string]any) (done bool, cmd tea.Cmd) // values are those of the first button alone
	escape  func() (done bool, cmd tea.Cmd)
	leaving bool // esc was pressed and must be pressed again
	drawn   look.Memo[canvas, []string]
}

// Answers implements Dialog: letters are for fields, not for buttons.
func (f *fields) Answers(string) bool { return f.form.InField() }

func (f *fields) Writes() bool { return f.form.Writing() }

func (f *fields) Update(msg tea.Msg) (done bool, cmd tea.Cmd) {
	switch msg := msg.(type) {
	case tea.PasteMsg:
		return false, pasted(f.form.Paste(msg.Content))
	case tea.KeyPressMsg:
		if msg.String() == "esc" {
			return f.escape()
		}
		f.leaving = false
		button := f.form.Key(msg)
		if button == 0 {
			values, ok := f.form.Values()
			if !ok {
				return false, nil
			}
			return f.press(0, values)
		}
		if button > 0 {
			return f.press(button, nil)
		}
	}
	return false, nil
}

func (f *fields) View(width, height int, st *look.Look) []string {
	above := f.drawn.Of(canvas{width, *st}, func() []string { return f.above(width, st) })
	var below []string
	if f.below != nil {
		below = f.below(width, height/2, st)
	}
	rows, where := f.form.View(above, width, max(1, height-2-len(below)), st)
	out := slices.Concat([]string{st.Title(f.title, where, width)}, rows, below)
	return st.WithHint(out, f.hint(width, st), width, height)
}
