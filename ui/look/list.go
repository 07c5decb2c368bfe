package look

import (
	"fmt"
	"strings"

	"github.com/aloudchat/aloud/sanitize"
)

// Item is one row of a list. It may come from anywhere.
type Item struct {
	Label  string
	Detail string
	Amount string // numbers before the detail, all of a list of the same length
	Badge  string // before the label: "✓", "○"
	Depth  int    // how far it is indented
}

// List is a list of rows of which some are in view. The zero value is at its beginning.
type List struct {
	At    int // the row that is chosen; -1: none is
	First int // the row on top, as it was drawn last
}

// Turn goes to the next or the last of n rows, and round at the ends.
func (x *List) Turn(down bool, n int) {
	switch {
	case n == 0:
	case down:
		x.At = (x.At + 1) % n
	case x.At <= 0:
		x.At = n - 1
	default:
		x.At--
	}
}

// Scroll brings the chosen one of n rows into view, and what is next to it, no further than that takes. It tells which rows are in view.
func (x *List) Scroll(n, height int) (from, to int) {
	near := min(2, (height-1)/2)
	x.First = max(0, min(max(x.First, x.At+near-height+1), x.At-near, n-height))
	return x.First, min(x.First+height, n)
}

// View draws at most height of n rows, with the chosen one among them.
func (x *List) View(n int, item func(i int) Item, width, height int, st *Look) []string {
	wide, room := 0, width-6
	for i := range n {
		r := item(i)
		if r.Detail != "" {
			room = min(room, width*3/5)
		}
		wide = max(wide, st.Method.StringWidth(sanitize.Line(r.Label))+2*r.Depth)
		if r.Amount != "" {
			room = min(room, width-len(r.Amount)-6) // the mark, the badge and the space between
		}
	}
	wide = min(wide, max(8, room))
	from, to := x.Scroll(n, height)
	var out []string
	for i := from; i < to; i++ {
		out = append(out, item(i).view(i == x.At, wide, width, st))
	}
	return out
}

// view draws one row, with wide cells for its label.
func (r Item) view(chosen bool, wide, width int, st *Look) string {
	mark, style := "  ", st.Text
	if chosen {
		mark, style = st.Accent.Render("› "), st.Chosen
	}
	wide -= 2 * r.Depth
	label := st.Clip(sanitize.Line(r.Label), wide)
	line := mark + strings.Repeat("  ", r.Depth)
	if r.Badge != "" {
		line += style.Render(r.Badge) + " "
	}
	line += style.Render(label)
	detail := sanitize.Line(r.Detail)
	if r.Amount != "" && width-wide-2*r.Depth-len(r.Amount)-8 < 12 { // the beginning of a word is worth nothing
		detail = r.Amount
	} else if r.Amount != "" {
		detail = strings.TrimRight(r.Amount+"  "+detail, " ")
	}
	if detail != "" {
		line += strings.Repeat(" ", max(0, wide-st.Method.StringWidth(label))+2) + st.Dim.Render(detail)
	}
	return st.Clip(line, max(1, width))
}

// Scroller is the part of a long text that is in view. The zero value is at its beginning.
type Scroller struct {
	From int // the first row in view
	Page int // how many rows are in view, as of the last time they were drawn
}

// Scroll takes the keys that scroll and reports whether this was one.
func (s *Scroller) Scroll(key string) bool {
	switch key {
	case "up":
		s.From--
	case "down":
		s.From++
	case "pgup":
		s.From -= max(1, s.Page-1)
	case "pgdown":
		s.From += max(1, s.Page-1)
	case "home":
		s.From = 0
	case "end":
		s.From = 1 << 30
	default:
		return false
	}
	return true
}

// Window returns the rows in view, and where they are when they are not all: "1–12 of 40".
func (s *Scroller) Window(rows []string, height int) (in []string, where string) {
	from, to, where := s.Extent(len(rows), height)
	return rows[from:to], where
}

// Extent is Window for rows that are drawn only when they are in view.
func (s *Scroller) Extent(rows, height int) (from, to int, where string) {
	s.Page = height
	s.From = max(0, min(s.From, rows-height))
	if rows <= height {
		return 0, rows, ""
	}
	return s.From, s.From + height, fmt.Sprintf("%d–%d of %d", s.From+1, s.From+height, rows)
}
