package ui

import (
	"fmt"
	"strings"

	tea "charm.land/bubbletea/v2"

	"github.com/aloudchat/aloud/ui/markdown"
)

// page is a dialog that shows a text which may be longer than the screen.
type page struct {
	title string
	// draw returns the whole text for a width.
	draw func(width int, st *look) []string
	scroller
}

func (p *page) update(msg tea.Msg) (done bool, cmd tea.Cmd) {
	k, ok := msg.(tea.KeyPressMsg)
	if !ok || p.scroll(k.String()) {
		return false, nil
	}
	switch k.String() {
	case "esc", "enter", "q", "space":
		return true, nil
	}
	return false, nil
}

func (p *page) view(width, height int, st *look) []string {
	rows := p.draw(width, st)
	body, more := p.window(rows, max(1, height-3))
	out := append([]string{titleRow(p.title, width, st)}, body...)
	hint := "esc closes"
	if more != "" {
		hint = "↑↓ scroll " + more + " · " + hint
	}
	return withHint(out, hint, width, height, st)
}

// scroller is the part of a long text that is in view.
type scroller struct{ from, page int }

// scroll takes the keys that scroll and tells whether this was one.
func (s *scroller) scroll(key string) bool {
	switch key {
	case "up":
		s.from--
	case "down":
		s.from++
	case "pgup":
		s.from -= max(1, s.page-1)
	case "pgdown":
		s.from += max(1, s.page-1)
	case "home":
		s.from = 0
	case "end":
		s.from = 1 << 30
	default:
		return false
	}
	return true
}

// window returns the rows in view, and where they are when they are not all: "1–12 of 40".
func (s *scroller) window(rows []string, height int) (in []string, where string) {
	from, to, where := s.extent(len(rows), height)
	return rows[from:to], where
}

// extent is window for rows that are drawn only when they are in view.
func (s *scroller) extent(rows, height int) (from, to int, where string) {
	s.page = height
	s.from = max(0, min(s.from, rows-height))
	if rows <= height {
		return 0, rows, ""
	}
	return s.from, s.from + height, fmt.Sprintf("%d–%d of %d", s.from+1, s.from+height, rows)
}

// columns draws pairs as two columns; in a narrow space the second goes below the first.
func columns(pairs [][2]string, width int, st *look) []string {
	wide := 0
	for _, p := range pairs {
		wide = max(wide, st.method.StringWidth(p[0]))
	}
	var out []string
	for _, p := range pairs {
		if room := width - wide - 5; room >= 20 {
			gap := strings.Repeat(" ", wide-st.method.StringWidth(p[0])+2)
			lines := markdown.Wrap(p[1], room, st.method)
			out = append(out, "  "+st.styles.key.Render(p[0])+gap+st.styles.dim.Render(lines[0]))
			for _, l := range lines[1:] {
				out = append(out, strings.Repeat(" ", wide+4)+st.styles.dim.Render(l))
			}
			continue
		}
		out = append(out, "  "+st.styles.key.Render(clip(p[0], max(1, width-2), st)))
		for _, l := range markdown.Wrap(p[1], reading(width-5), st.method) {
			out = append(out, "    "+st.styles.dim.Render(l))
		}
	}
	return out
}
