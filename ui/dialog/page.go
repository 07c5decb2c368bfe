package dialog

import (
	tea "charm.land/bubbletea/v2"

	"github.com/aloudchat/aloud/ui/look"
)

// page shows a text that may be longer than the screen, and takes the keys that answer it.
type page struct {
	Base
	titles []string // from long to short
	// draw returns the whole text. It is called when the width or the look has changed.
	draw func(width int, st *look.Look) []string
	// foot draws the answers; they are seen even if nothing else fits. nil: hint says in one row what can be done.
	foot func(width, height int, st *look.Look) []string
	hint func(where string, width int, st *look.Look) string
	// keys are the answers. Each closes the page.
	keys map[string]func() tea.Cmd

	drawn look.Memo[canvas, []string]
	look.Scroller
}

// canvas is what rows are drawn for.
type canvas struct {
	width int
	look  look.Look
}

// newText is a page to read.
func newText(title string, draw func(width int, st *look.Look) []string) *page {
	leave := func() tea.Cmd { return nil }
	hint := func(where string, _ int, _ *look.Look) string {
		if where == "" {
			return "esc closes"
		}
		return "↑↓ scroll " + where + " · esc closes"
	}
	return &page{
		titles: []string{title}, draw: draw, hint: hint,
		keys: map[string]func() tea.Cmd{"esc": leave, "enter": leave, "q": leave, "space": leave},
	}
}

func (p *page) Answers(letter string) bool { return p.keys[letter] != nil }

func (p *page) Update(msg tea.Msg) (done bool, cmd tea.Cmd) {
	k, ok := msg.(tea.KeyPressMsg)
	if !ok || p.Scroll(k.String()) {
		return false, nil
	}
	if act := p.keys[k.String()]; act != nil {
		return true, act()
	}
	return false, nil
}

func (p *page) View(width, height int, st *look.Look) []string {
	rows := p.drawn.Of(canvas{width, *st}, func() []string { return p.draw(width, st) })
	if p.foot == nil {
		body, where := p.Window(rows, max(1, height-3))
		out := append([]string{st.Title(st.Longest(width-look.TitleFrame, p.titles...), "", width)}, body...)
		return st.WithHint(out, p.hint(where, width, st), width, height)
	}
	foot := p.foot(width, height, st)
	if height > 12 {
		foot = append([]string{""}, foot...)
	}
	var out []string
	if room := height - 1 - len(foot); room > 0 {
		body, where := p.Window(rows, room)
		title := st.Longest(width-look.TitleFrame-len(where), p.titles...)
		if where != "" {
			where = look.Scrolls + where
		}
		out = append([]string{st.Title(title, where, width)}, body...)
	}
	out = append(out, foot...)
	return out[max(0, len(out)-height):]
}

// answers draws what the letters mean.
func answers(words ...string) func(width, height int, st *look.Look) []string {
	return func(width, _ int, st *look.Look) []string {
		return st.Packed(st.Keys(append([]string(nil), words...)...), width)
	}
}
