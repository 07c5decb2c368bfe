//go:build unix

package main

import (
	"bytes"
	"cmp"
	"encoding/xml"
	"fmt"
	"strings"

	"github.com/aloudchat/aloud/e2e/terminal"
)

// The sizes of a picture in its own units.
const (
	fontSize   = 14
	cellWidth  = 8.4
	lineHeight = 19
	margin     = 10
	fonts      = "ui-monospace, SFMono-Regular, Menlo, Consolas, 'DejaVu Sans Mono', monospace"
)

// paper has the default colours of the terminal. The background is part of the picture, so that it can be read on light
// and dark pages.
type paper struct{ foreground, background string }

var (
	darkPaper  = paper{"#d6dae4", "#15171e"}
	lightPaper = paper{"#24272e", "#fbfbfa"}
)

// calm replaces the spinner, which differs in each run.
func calm(rows [][]terminal.Cell) [][]terminal.Cell {
	for _, row := range rows {
		for i, cell := range row {
			if r := []rune(cell.Text); len(r) == 1 && r[0] >= 0x2800 && r[0] <= 0x28ff {
				row[i].Text = "⠋"
			}
		}
	}
	return rows
}

// svg draws the cells. Text stays text, so it can be searched, copied and read by screen readers.
func (p paper) svg(rows [][]terminal.Cell, title string) []byte {
	var body bytes.Buffer
	for y, row := range rows {
		for x, c := range row {
			if c.Reverse {
				row[x].Foreground, row[x].Background = cmp.Or(c.Foreground, p.background), cmp.Or(c.Background, p.foreground)
			}
		}
		drawRow(&body, row, y)
	}
	return p.document(len(rows[0]), len(rows), title, body.String())
}

// document returns an SVG of that many cells, with a background.
func (p paper) document(columns, rows int, title, body string) []byte {
	width := 2*margin + cellWidth*float64(columns)
	height := 2*margin + lineHeight*rows
	var b bytes.Buffer
	fmt.Fprintf(&b, `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %.1f %d" width="%.0f"`, width, height, width)
	fmt.Fprintf(&b, ` role="img" aria-label="%s">`+"\n", escaped(title))
	b.WriteString("<style>text{white-space:pre}</style>\n") // browsers ignore xml:space, other viewers support only that
	fmt.Fprintf(&b, `<rect width="100%%" height="100%%" rx="8" fill="%s"/>`+"\n", p.background)
	fmt.Fprintf(&b, `<g font-family="%s" font-size="%d" fill="%s" xml:space="preserve">`+"\n",
		fonts, fontSize, p.foreground)
	b.WriteString(body + "</g>\n</svg>\n")
	return b.Bytes()
}

func drawRow(b *bytes.Buffer, row []terminal.Cell, y int) {
	for x := 0; x < len(row); {
		n := runLength(row[x:])
		draw(b, row[x:x+n], x, y)
		x += n
	}
}

// words returns the row as text, without the spinner, for the label of the picture.
func words(row []terminal.Cell) string {
	var b strings.Builder
	for _, cell := range row {
		b.WriteString(cell.Text)
	}
	return strings.TrimSpace(strings.TrimLeft(b.String(), "⠋ "))
}

// runLength returns how many cells from the first look the same.
func runLength(row []terminal.Cell) int {
	look := func(c terminal.Cell) terminal.Cell { c.Text = ""; return c }
	n := 1
	for n < len(row) && look(row[n]) == look(row[0]) {
		n++
	}
	return n
}

// draw writes a run of cells that look the same, without trailing blanks. The length is fixed, so that columns align
// in any font.
func draw(b *bytes.Buffer, run []terminal.Cell, x, y int) {
	for len(run) > 1 && run[len(run)-1].Text == " " && run[0].Background == "" {
		run = run[:len(run)-1]
	}
	var text strings.Builder
	for _, cell := range run {
		text.WriteString(cell.Text)
	}
	left, top, width := margin+cellWidth*float64(x), margin+lineHeight*y, cellWidth*float64(len(run))
	if run[0].Background != "" {
		fmt.Fprintf(b, `<rect x="%.1f" y="%d" width="%.1f" height="%d" fill="%s"/>`+"\n",
			left, top, width, lineHeight, run[0].Background)
	}
	if strings.TrimSpace(text.String()) == "" {
		return
	}
	fmt.Fprintf(b, `<text x="%.1f" y="%d" textLength="%.1f"%s>%s</text>`+"\n",
		left, top+fontSize, width, look(run[0]), escaped(text.String()))
}

func look(c terminal.Cell) string {
	var b strings.Builder
	if c.Foreground != "" {
		fmt.Fprintf(&b, ` fill="%s"`, c.Foreground)
	}
	if c.Bold {
		b.WriteString(` font-weight="bold"`)
	}
	if c.Faint {
		b.WriteString(` opacity="0.6"`)
	}
	if c.Italic {
		b.WriteString(` font-style="italic"`)
	}
	if c.Underline {
		b.WriteString(` text-decoration="underline"`)
	}
	return b.String()
}

func escaped(s string) string {
	var b bytes.Buffer
	_ = xml.EscapeText(&b, []byte(s)) // a buffer cannot fail
	return b.String()
}
