package markdown

import (
	"strings"

	"github.com/yuin/goldmark/ast"
	east "github.com/yuin/goldmark/extension/ast"

	"github.com/aloudchat/aloud/internal/sanitize"
)

// table is a table whose cells are rendered but not laid out.
type table struct {
	rows  [][]string // the first one is the head
	align []east.Alignment
}

const (
	between   = " │ "
	minColumn = 6  // cells; a table with narrower columns is drawn as a list
	maxWord   = 16 // cells; a longer word may be broken
)

func (d *drawing) table(n *east.Table, width int, p pen) []string {
	t := table{align: n.Alignments}
	for row := n.FirstChild(); row != nil; row = row.NextSibling() {
		cp := p
		cp.bold = cp.bold || len(t.rows) == 0
		t.rows = append(t.rows, d.cells(row, len(n.Alignments), cp))
	}
	return d.layOut(t, width)
}

// layOut draws a table as a grid, or if it is too wide as records.
func (d *drawing) layOut(t table, width int) []string {
	widths, ok := d.columns(t, width)
	if !ok {
		return d.records(t, width)
	}
	return d.grid(t, widths)
}

// cells returns n cells of a row. What the row has beyond them is added to the last one.
func (d *drawing) cells(row ast.Node, n int, p pen) []string {
	cells := make([]string, n)
	i := 0
	for c := row.FirstChild(); c != nil && i < n; c = c.NextSibling() {
		cells[i] = d.inline(c, p)
		if i++; i == n && c.Lines().Len() > 0 {
			rest, _, _ := strings.Cut(string(d.source[c.Lines().At(0).Stop:]), "\n")
			rest = strings.TrimPrefix(strings.TrimSpace(rest), "|")
			if rest = sanitize.Line(strings.TrimSuffix(rest, "|")); rest != "" {
				cells[n-1] += p.paint(" | " + rest)
			}
		}
	}
	return cells
}

// columns divides width among the columns: each gets the width it needs, and while the sum is too large the widest one
// shrinks, but words are not broken. ok is false if the columns would be too narrow to read.
func (d *drawing) columns(t table, width int) (widths []int, ok bool) {
	room := width - d.method.StringWidth(between)*(len(t.align)-1)
	widths = make([]int, len(t.align))
	spare := make([]int, len(t.align)) // how much a column can shrink
	used := 0
	for i := range widths {
		need, word := d.needs(t, i)
		widths[i] = min(need, max(1, room))
		spare[i] = max(0, widths[i]-max(minColumn, min(word, maxWord)))
		used += widths[i]
	}
	for ; used > room; used-- {
		widest := -1
		for i, w := range widths {
			if spare[i] > 0 && (widest < 0 || w > widths[widest]) {
				widest = i
			}
		}
		if widest < 0 {
			return nil, false
		}
		widths[widest]--
		spare[widest]--
	}
	return widths, true
}

// needs returns the preferred width of a column, and the width of its longest word.
func (d *drawing) needs(t table, column int) (line, word int) {
	line = 1
	for _, row := range t.rows {
		for l := range strings.SplitSeq(row[column], "\n") {
			line = max(line, d.method.StringWidth(l))
			for w := range strings.FieldsSeq(l) {
				word = max(word, d.method.StringWidth(w))
			}
		}
	}
	return line, word
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
		parts := make([]string, len(cells))
		for i, lines := range wrapped {
			cell := ""
			if y < len(lines) {
				cell = strings.TrimRight(lines[y], " ")
			}
			parts[i] = pad(cell, widths[i]-d.method.StringWidth(cell), align[i])
		}
		rows[y] = strings.TrimRight(strings.Join(parts, bar), " ")
	}
	return rows
}

// pad fills a cell with blanks.
func pad(cell string, blanks int, a east.Alignment) string {
	blanks = max(0, blanks)
	left := 0
	switch a {
	case east.AlignRight:
		left = blanks
	case east.AlignCenter:
		left = blanks / 2
	}
	return strings.Repeat(" ", left) + cell + strings.Repeat(" ", blanks-left)
}

// records draws the rows of a table that is too wide one by one: "head: cell".
func (d *drawing) records(t table, width int) []string {
	var rows []string
	for _, row := range t.rows[1:] {
		if len(rows) > 0 {
			rows = append(rows, "")
		}
		for i, cell := range row {
			text := strings.TrimPrefix(t.rows[0][i]+": "+cell, ": ") // the head of the first column may be empty
			if text = strings.TrimRight(text, " "); text != "" {
				rows = append(rows, Wrap(text, width, d.method)...)
			}
		}
	}
	if len(rows) == 0 {
		return Wrap(strings.Join(t.rows[0], " "), width, d.method)
	}
	return rows
}
