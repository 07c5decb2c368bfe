package ui

import (
	"strings"

	tea "charm.land/bubbletea/v2"

	"github.com/aloudchat/aloud/ui/look"
	"github.com/aloudchat/aloud/ui/markdown"
)

// page is a dialog that shows a text which may be longer than the screen.
type page struct {
	title string
	// draw returns the whole text for a width.
	draw func(width int, st *look.Look) []string
	look.Scroller
}

func (p *page) update(msg tea.Msg) (done bool, cmd tea.Cmd) {
	k, ok := msg.(tea.KeyPressMsg)
	if !ok || p.Scroll(k.String()) {
		return false, nil
	}
	switch k.String() {
	case "esc", "enter", "q", "space":
		return true, nil
	}
	return false, nil
}

func (p *page) view(width, height int, st *look.Look) []string {
	rows := p.draw(width, st)
	body, more := p.Window(rows, max(1, height-3))
	out := append([]string{titleRow(p.title, width, st)}, body...)
	hint := "esc closes"
	if more != "" {
		hint = "↑↓ scroll " + more + " · " + hint
	}
	return withHint(out, hint, width, height, st)
}

// columns draws pairs as two columns; in a narrow space the second goes below the first.
func columns(pairs [][2]string, width int, st *look.Look) []string {
	wide := 0
	for _, p := range pairs {
		wide = max(wide, st.Method.StringWidth(p[0]))
	}
	var out []string
	for _, p := range pairs {
		if room := width - wide - 5; room >= 20 {
			gap := strings.Repeat(" ", wide-st.Method.StringWidth(p[0])+2)
			lines := markdown.Wrap(p[1], room, st.Method)
			out = append(out, "  "+st.Key.Render(p[0])+gap+st.Dim.Render(lines[0]))
			for _, l := range lines[1:] {
				out = append(out, strings.Repeat(" ", wide+4)+st.Dim.Render(l))
			}
			continue
		}
		out = append(out, "  "+st.Key.Render(st.Clip(p[0], max(1, width-2))))
		for _, l := range markdown.Wrap(p[1], look.Reading(width-5), st.Method) {
			out = append(out, "    "+st.Dim.Render(l))
		}
	}
	return out
}
