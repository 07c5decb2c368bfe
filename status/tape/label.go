package tape

import (
	"cmp"
	"maps"
	"slices"

	"github.com/charmbracelet/x/ansi"

	"github.com/aloudchat/aloud/internal/quantity"
	"github.com/aloudchat/aloud/internal/sanitize"
)

const longestName = 24 // cells of a name in a label

// Label names a part of a row.
type Label struct {
	At   int // its first cell
	Text string
	Mark Mark // Solid, Head or Dashed
}

// Labels returns the labels below the row of a width, from left to right: "load 9s", "Find User", "now 1s", "about 9s
// more". They do not overlap. First now and the end get room, then the longest work; labels that do not fit are left
// out.
func (t Tape) Labels(width int) []Label {
	var labels []Label
	place := func(l Label) bool {
		end := l.At + ansi.StringWidthWc(l.Text)
		if l.Text == "" || l.At < 0 || end > width {
			return false
		}
		for _, o := range labels {
			if l.At <= o.At+ansi.StringWidthWc(o.Text) && o.At <= end { // a space between them
				return false
			}
		}
		labels = append(labels, l)
		return true
	}
	cells := t.Row(width)
	first := map[int]int{} // cell by span
	for i, c := range slices.Backward(cells) {
		if c.Mark == Solid {
			first[c.Span] = i
		}
	}
	if t.Ended == Running {
		t.labelNow(width, cells, first, place)
	}
	longest := func(a, b int) int {
		return cmp.Or(cmp.Compare(t.Spans[b].Length, t.Spans[a].Length), cmp.Compare(a, b))
	}
	for _, i := range slices.SortedFunc(maps.Keys(first), longest) {
		s := t.Spans[i]
		name := sanitize.CutEnd(sanitize.Line(s.Name()), longestName)
		label := Label{first[i], name + " " + quantity.Brief(s.Length), Solid}
		if !place(label) && s.Kind == Tool { // the name alone
			label.Text = name
			place(label)
		}
	}
	slices.SortFunc(labels, func(a, b Label) int { return cmp.Compare(a.At, b.At) })
	return labels
}

// labelNow places "now 1s" below the work that runs, and "about 9s more" at the end of what is expected.
func (t Tape) labelNow(width int, cells []Cell, first map[int]int, place func(Label) bool) {
	now := Label{Mark: Head, At: slices.IndexFunc(cells, func(c Cell) bool { return c.Mark == Head })}
	for i, s := range t.Spans {
		if s.Running {
			now.Text = "now " + quantity.Duration(s.Length)
			if at, drawn := first[i]; drawn {
				now.At = at
			}
			delete(first, i)
			break
		}
	}
	wide := len(now.Text)
	now.At = max(min(now.At, width-wide), 0)
	place(now)
	if left := quantity.Duration(t.left()); left != "0s" {
		more := Label{Text: "about " + left + " more", Mark: Dashed}
		end := axis{t.Scale(), width}.cell(t.Now+t.left()-1) + 1
		more.At = max(end-len(more.Text), now.At+wide+2)
		place(more)
	}
}
