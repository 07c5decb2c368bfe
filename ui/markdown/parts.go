package markdown

import (
	"slices"
	"strconv"

	"github.com/yuin/goldmark/extension/ast"

	"github.com/aloudchat/aloud/internal/sanitize"
)

// Code draws a block of code in the colours of its language, like one in a text, but without its label.
func (r *Renderer) Code(source, lang string) []string {
	return r.clipped(r.code(source, lang, r.width))
}

// Table draws a table of plain text like one in a text. The first row is the head, and columns of numbers are aligned
// to the right. All rows must have the same length.
func (r *Renderer) Table(cells [][]string) []string {
	d := drawing{Renderer: r}
	t := table{align: make([]ast.Alignment, len(cells[0]))}
	for i := range t.align {
		isText := func(row []string) bool { _, err := strconv.ParseFloat(row[i], 64); return row[i] != "" && err != nil }
		if !slices.ContainsFunc(cells[1:], isText) {
			t.align[i] = ast.AlignRight
		}
	}
	for y, row := range cells {
		drawn := make([]string, len(row))
		for i, cell := range row {
			drawn[i] = pen{bold: y == 0}.paint(sanitize.Line(cell))
		}
		t.rows = append(t.rows, drawn)
	}
	return r.clipped(d.layOut(t, r.width))
}

// clipped makes sure that rows are safe and no wider than the renderer.
func (r *Renderer) clipped(rows []string) []string {
	for i, row := range rows {
		rows[i] = Clip(sanitize.Output(row), r.width, "", r.method)
	}
	return rows
}
