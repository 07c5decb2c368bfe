package markdown

import (
	"slices"
	"strings"

	"github.com/yuin/goldmark/ast"
	east "github.com/yuin/goldmark/extension/ast"
)

// table is a table whose cells are written but not laid out.
type table struct {
	rows  [][]string // the first one is the head
	align []east.Alignment
}

const (
	between   = " │ "
	minColumn = 6 // cells; a table whose columns would be narrower is told as a list
)

func (d *drawing) table(n *east.Table, width int, p pen) []string {
	t := table{align: n.Alignments}
	for row := n.FirstChild(); row != nil; row = row.NextSibling() {
		cp := p
		cp.bold = cp.bold || len(t.rows) == 0
		t.rows = append(t.rows, d.cells(row, len(n.Alignments), cp))
	}
	widths, ok := d.columns(t, width)
	if !ok {
		return d.records(t, width)
	}
	return d.grid(t, widths)
}

func (d *drawing) cells(row ast.Node, n int, p pen) []string {
	cells := make([]string, n)
	i := 0
	for c := row.FirstChild(); c != nil && i < n; c = c.NextSibling() {
		cells[i] = d.inline(c, d.source, p)
		i++
	}
	return cells
}

// columns shares width among the columns: each gets what it needs, and when that is too much the widest give way.
func (d *drawing) columns(t table, width int) (widths []int, ok bool) {
	widths = make([]int, len(t.align))
	for _, row := range t.rows {
		for i, cell := range row {
			for line := range strings.SplitSeq(cell, "\n") {
				widths[i] = max(widths[i], d.method.StringWidth(line), 1)
			}
		}
	}
	room := width - d.method.StringWidth(between)*(len(widths)-1)
	for over := sum(widths) - room; over > 0; over = sum(widths) - room {
		widest := slices.Max(widths)
		if widest <= minColumn {
			return nil, false
		}
		second, many := minColumn, 0 // how far the widest may shrink together, and how many they are
		for _, w := range widths {
			if w == widest {
				many++
			} else {
				second = max(second, w)
			}
		}
		less := min(widest-min(second, widest-1), (over+many-1)/many)
		for i, w := range widths {
			if w == widest {
				widths[i] = w - max(1, less)
			}
		}
	}
	return widths, true
}

func sum(n []int) int {
	total := 0
	for _, v := range n {
		total += v
	}
	return total
}

// grid draws the table with a line below its head, and below every row when cells need more than one line.
func (d *drawing) grid(t table, widths []int) []string {
	faint := pen{color: d.style.Rule}
	parts := make([]string, len(widths))
	for i, w := range widths {
		parts[i] = strings.Repeat("─", w)
	}
	rule := faint.paint(strings.Join(parts, "─┼─"))
	bar := faint.paint(between)

	var drawn [][]string
	tall := false
	for _, row := range t.rows {
		lines := d.gridRow(row, t.align, widths, bar)
		drawn = append(drawn, lines)
		tall = tall || len(lines) > 1 && len(drawn) > 1
	}
	var rows []string
	for i, lines := range drawn {
		if i == 1 || i > 1 && tall {
			rows = append(rows, rule)
		}
		rows = append(rows, lines...)
	}
	if len(drawn) == 1 {
		rows = append(rows, rule)
	}
	return rows
}

// gridRow draws one row of the table.
func (d *drawing) gridRow(cells []string, align []east.Alignment, widths []int, bar string) []string {
	wrapped := make([][]string, len(cells))
	height := 1
	for i, cell := range cells {
		wrapped[i] = Wrap(cell, widths[i], d.method)
		height = max(height, len(wrapped[i]))
	}
	rows := make([]string, height)
	for y := range rows {
		var b strings.Builder
		for i := range cells {
			if i > 0 {
				b.WriteString(bar)
			}
			cell := ""
			if y < len(wrapped[i]) {
				cell = strings.TrimRight(wrapped[i][y], " ")
			}
			last := i == len(cells)-1
			b.WriteString(pad(cell, widths[i]-d.method.StringWidth(cell), align[i], last))
		}
		rows[y] = b.String()
	}
	return rows
}

// pad fills a cell with blanks, but not at the end of a row.
func pad(cell string, blanks int, a east.Alignment, last bool) string {
	blanks = max(0, blanks)
	left := 0
	switch a {
	case east.AlignRight:
		left = blanks
	case east.AlignCenter:
		left = blanks / 2
	}
	right := blanks - left
	if last {
		right = 0
	}
	return strings.Repeat(" ", left) + cell + strings.Repeat(" ", right)
}

// records tells a table that is too wide row by row: "head: cell".
func (d *drawing) records(t table, width int) []string {
	var rows []string
	for _, row := range t.rows[1:] {
		if len(rows) > 0 {
			rows = append(rows, "")
		}
		for i, cell := range row {
			if cell != "" {
				rows = append(rows, d.record(t.rows[0][i], cell, width)...)
			}
		}
	}
	if len(rows) == 0 {
		return Wrap(strings.Join(t.rows[0], " "), width, d.method)
	}
	return rows
}

func (d *drawing) record(head, cell string, width int) []string {
	text := cell
	if head != "" {
		text = head + ": " + cell
	}
	rows := Wrap(text, width, d.method)
	if len(rows) == 1 || width < narrow {
		return rows
	}
	rows = Wrap(text, width-2, d.method)
	for i := range rows[1:] {
		rows[i+1] = "  " + rows[i+1]
	}
	return rows
}
