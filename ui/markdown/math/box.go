package math

import (
	"slices"
	"strings"

	"github.com/charmbracelet/x/ansi"
)

// Limits for a formula in two dimensions, in cells and rows.
const (
	maxWidth  = 500
	maxHeight = 60
)

// Display returns the rows of a formula in two dimensions or, if it is too wide, on one line. It reports false if it
// does not understand all of source, or if no form fits into width cells as the terminal measures them by m.
func Display(source string, width int, m ansi.Method) ([]string, bool) {
	n, ok := parse(source)
	if !ok {
		return nil, false
	}
	s := setter{method: m}
	b := s.box(n, false)
	if !s.tooLarge && b.width <= min(width, maxWidth) && b.width > 0 {
		for i, row := range b.rows {
			b.rows[i] = strings.TrimRight(row, " ")
		}
		return b.rows, true
	}
	text, ok := Inline(source)
	return []string{text}, ok && m.StringWidth(text) <= width
}

// box is a formula in two dimensions. All rows have the same width.
type box struct {
	rows  []string
	base  int // the row that is on a line with the text around
	width int
}

type setter struct {
	method   ansi.Method
	tooLarge bool
}

// stack returns rows on top of each other, centred ('c') or at the left ('l') or right ('r').
func (s *setter) stack(rows []string, base int, align byte) box {
	width := 0
	for _, row := range rows {
		width = max(width, s.method.StringWidth(row))
	}
	return s.align(box{rows, base, width}, align)
}

// align fills the rows of b with blanks up to its width.
func (s *setter) align(b box, align byte) box {
	if len(b.rows) > maxHeight || b.width > maxWidth {
		s.tooLarge = true
		return box{rows: []string{""}}
	}
	rows := b.rows
	b.rows = make([]string, len(rows))
	for i, row := range rows {
		room := b.width - s.method.StringWidth(row)
		left := map[byte]int{'c': room / 2, 'l': 0, 'r': room}[align]
		b.rows[i] = strings.Repeat(" ", left) + row + strings.Repeat(" ", room-left)
	}
	return b
}

func (s *setter) text(text string) box { return s.stack([]string{text}, 0, 'l') }

// beside returns boxes side by side, with their base rows on a line.
func (s *setter) beside(boxes ...box) box {
	above, below := 0, 0
	for _, b := range boxes {
		above, below = max(above, b.base), max(below, len(b.rows)-b.base)
	}
	rows := make([]string, above+below)
	for i := range rows {
		var row strings.Builder
		for _, b := range boxes {
			if j := i - above + b.base; j >= 0 && j < len(b.rows) {
				row.WriteString(b.rows[j])
			} else {
				row.WriteString(strings.Repeat(" ", b.width))
			}
		}
		rows[i] = row.String()
	}
	return s.stack(rows, above, 'l')
}

// box sets n in two dimensions. A tight box has no spaces around operators.
func (s *setter) box(n node, tight bool) box {
	switch n := n.(type) {
	case atom:
		return s.text(n.text)
	case list:
		boxes := []box{s.text("")}
		for i, item := range n {
			isBar := i > 0 && isFraction(item) && n[i-1] == node(atom{binary, "−"}) // would look longer with a sign
			if needsGap(n, i, tight) || isBar {
				boxes = append(boxes, s.text(" "))
			}
			boxes = append(boxes, s.box(item, tight))
		}
		return s.beside(boxes...)
	case fraction:
		return s.fraction(n, tight)
	case root:
		return s.root(n, tight)
	case scripts:
		return s.scripts(n, tight)
	case fenced:
		body := s.box(n.body, tight)
		return s.beside(s.bracket(n.open, body), body, s.bracket(n.close, body))
	case grid:
		return s.grid(n, tight)
	}
	return s.text("")
}

func (s *setter) fraction(n fraction, tight bool) box {
	over, under := s.box(n.over, tight), s.box(n.under, tight)
	rows, base := over.rows, len(over.rows)
	if n.bar {
		width := max(over.width, under.width)
		if len(over.rows)+len(under.rows) > 2 {
			width += 2 // longer than the bar of a fraction inside
		}
		rows = append(rows, strings.Repeat("─", width))
	} else {
		base--
	}
	return s.stack(append(rows, under.rows...), base, 'c')
}

// root draws the sign as high as what is below it.
func (s *setter) root(n root, tight bool) box {
	of := s.box(n.of, tight)
	height := len(of.rows)
	if text := line(n.of, tight); height == 1 && operand(n.of, text) == text {
		return s.beside(s.text(n.index+"√"), of)
	}
	sign := []string{strings.Repeat(" ", height+1)}
	for i := range height {
		row := strings.Repeat(" ", height-i) + "╱"
		if i == height-1 {
			row = "╲╱"
		}
		sign = append(sign, row)
	}
	body := append([]string{strings.Repeat("_", of.width+1)}, of.rows...)
	for i := range of.rows {
		body[i+1] = " " + body[i+1]
	}
	index := s.text(n.index)
	index.base = of.base - height + 1
	return s.beside(index, s.stack(sign, of.base+1, 'l'), s.stack(body, of.base+1, 'l'))
}

func (s *setter) scripts(n scripts, tight bool) box {
	base := s.box(n.base, tight)
	super, sub := box{}, box{}
	if n.super != nil {
		super = s.box(n.super, true)
	}
	if n.sub != nil {
		sub = s.box(n.sub, true)
	}
	if n.limits && !tight {
		rows := append(append(super.rows, base.rows...), sub.rows...)
		return s.stack(rows, len(super.rows)+base.base, 'c')
	}
	height := len(base.rows)
	if after, ok := n.short(); ok && height == 1 {
		return s.beside(base, s.text(after))
	}
	// The scripts of a high base are beside its first and last row, others above and below.
	overlap := min(1, height-1)
	top, middle := len(super.rows), height-2*overlap
	if overlap > 0 && top == 0 {
		middle++
	}
	if overlap > 0 && len(sub.rows) == 0 {
		middle++
	}
	rows := append(super.rows, make([]string, middle)...)
	return s.beside(base, s.stack(append(rows, sub.rows...), max(0, top-overlap)+base.base, 'l'))
}

// bracket draws a bracket as high as body: "" for none.
func (s *setter) bracket(text string, body box) box {
	height := len(body.rows)
	parts, ok := find(brackets, text)
	switch {
	case height == 1 || !ok:
		return s.text(text)
	case height == 2 && text == "{":
		return s.stack([]string{"⎰", "⎱"}, body.base, 'l')
	case height == 2 && text == "}":
		return s.stack([]string{"⎱", "⎰"}, body.base, 'l')
	}
	chars := strings.Split(parts, "")
	rows := slices.Repeat(chars[1:2], height)
	rows[min(max(1, body.base), height-2)] = chars[2]
	rows[0], rows[height-1] = chars[0], chars[3]
	return s.stack(rows, body.base, 'l')
}

// grid draws cells in columns. A blank row comes between rows if one of them is high.
func (s *setter) grid(n grid, tight bool) box {
	var columns [][]box
	isHigh := false
	for i, row := range n.cells {
		for j, cell := range row {
			if j == len(columns) {
				columns = append(columns, make([]box, len(n.cells)))
			}
			columns[j][i] = s.box(cell, tight)
			isHigh = isHigh || len(columns[j][i].rows) > 1
		}
	}
	lines := make([]box, len(n.cells))
	for j, column := range columns {
		width := 0
		for _, cell := range column {
			width = max(width, cell.width)
		}
		align := n.align[j%len(n.align)]
		between := "  "
		switch {
		case j == 0:
			between = ""
		case n.align == "rl" && j%2 == 1:
			between = " "
		}
		for i, cell := range column {
			cell.width = width
			lines[i] = s.beside(lines[i], s.text(between), s.align(cell, align))
		}
	}
	var rows []string
	for i, b := range lines {
		if isHigh && i > 0 {
			rows = append(rows, "")
		}
		rows = append(rows, b.rows...)
	}
	return s.stack(rows, len(rows)/2, 'l')
}
