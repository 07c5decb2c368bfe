package look

import (
	"fmt"
	"slices"
	"strings"

	"github.com/charmbracelet/x/ansi"

	"github.com/aloudchat/aloud/internal/sanitize"
)

// Item is one row of a list. Its texts are sanitised when they are drawn.
type Item struct {
	Label   string
	Marks   [][2]int // the letters of the label to mark, as ranges of bytes
	Detail  string
	Amount  string // numbers before the detail, of the same length in the whole list
	Badge   string // before the label: "✓", "○"
	Depth   int    // indentation
	Heading bool   // it is the title of the rows below it
}

// List is a list with a cursor, of which some rows are in view.
type List struct {
	At    int // the chosen row; -1 if none
	First int // the first row in view
}

// Scroll scrolls as little as necessary to bring the chosen one of n rows, and its neighbours, into view. It returns
// the visible rows.
func (x *List) Scroll(n, height int) (from, to int) {
	near := min(2, (height-1)/2)
	x.First = max(0, min(max(x.First, x.At+near-height+1), x.At-near, n-height))
	return x.First, min(x.First+height, n)
}

// Columns are the widths of the columns of a list, for all of its rows, so that scrolling does not change them. They
// are wide enough for every method of measuring.
type Columns struct {
	label, amount int
	details       bool
}

// Add makes room for a row.
func (c *Columns) Add(r Item) {
	if r.Heading {
		return
	}
	c.label = max(c.label, ansi.StringWidthWc(sanitize.Line(r.Label))+2*r.Depth)
	c.amount = max(c.amount, len(r.Amount))
	c.details = c.details || r.Detail != ""
}

// labels returns the cells for the labels on a screen.
func (c Columns) labels(width int) int {
	room := width - 6 - c.amount // 6 for the mark, the badge and the space between
	if c.details {
		room = min(room, width*3/5)
	}
	return min(c.label, max(6, room))
}

// View draws at most height of n rows, with the chosen one among them. It looks only at those.
func (x *List) View(n int, item func(i int) Item, columns Columns, width, height int, st *Look) []string {
	from, to := x.Scroll(n, height)
	var out []string
	for i := from; i < to; i++ {
		out = append(out, item(i).view(i == x.At, columns.labels(width), width, st))
	}
	return out
}

// view draws one row, with wide cells for its label.
func (r Item) view(chosen bool, wide, width int, st *Look) string {
	if r.Heading {
		return st.Clip("  "+st.Heading.Render(sanitize.Line(r.Label)), max(1, width))
	}
	mark, style := "  ", st.Text
	if chosen {
		mark, style = st.Accent.Render("› "), st.Chosen
	}
	wide -= 2 * r.Depth
	label := st.Clip(r.marked(), wide)
	line := mark + strings.Repeat("  ", r.Depth)
	if r.Badge != "" {
		line += style.Render(r.Badge) + " "
	}
	line += style.Render(label)
	detail := sanitize.Line(r.Detail)
	if r.Amount != "" && width-wide-2*r.Depth-len(r.Amount)-8 < 12 { // too narrow for the detail
		detail = r.Amount
	} else if r.Amount != "" {
		detail = strings.TrimRight(r.Amount+"  "+detail, " ")
	}
	if detail != "" {
		line += strings.Repeat(" ", max(0, wide-st.Method.StringWidth(label))+2) + st.Dim.Render(detail)
	}
	return st.Clip(line, max(1, width))
}

// marked returns the label with the marked letters underlined. A character of several runes is underlined as a whole.
// A label that must be sanitised has no marks, because they are for other bytes.
func (r Item) marked() string {
	label := sanitize.Line(r.Label)
	if len(r.Marks) == 0 || label != r.Label {
		return label
	}
	on, off := ansi.SGR(ansi.AttrUnderline), ansi.SGR(ansi.AttrNoUnderline)
	var b strings.Builder
	for at := 0; at < len(label); {
		character, _ := ansi.FirstGraphemeCluster(label[at:], ansi.GraphemeWidth)
		end := at + len(character)
		if slices.ContainsFunc(r.Marks, func(m [2]int) bool { return m[0] < end && at < m[1] }) {
			character = on + character + off
		}
		b.WriteString(character)
		at = end
	}
	return strings.ReplaceAll(b.String(), off+on, "")
}

// Scroller is the visible part of a long text.
type Scroller struct {
	From int // the first row in view
	Page int // number of visible rows when last drawn

	hides bool // rows are out of view
}

// Scroll handles the keys that scroll, and reports whether key is one.
func (s *Scroller) Scroll(key string) bool {
	switch key {
	case "up", "ctrl+p":
		s.From--
	case "down", "ctrl+n":
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

// Wheel scrolls by a number of rows, and reports whether any are out of view.
func (s *Scroller) Wheel(rows int) bool {
	if s.hides {
		s.From = max(0, s.From+rows)
	}
	return s.hides
}

// Window returns the visible rows, and their range if not all are visible: "1–12 of 40".
func (s *Scroller) Window(rows []string, height int) (in []string, where string) {
	s.Page = height
	s.From = max(0, min(s.From, len(rows)-height))
	s.hides = len(rows) > height
	if !s.hides {
		return rows, ""
	}
	to := s.From + height
	return rows[s.From:to], fmt.Sprintf("%d–%d of %d", s.From+1, to, len(rows))
}
