package ui

import (
	"strings"

	uv "github.com/charmbracelet/ultraviolet"
	"github.com/charmbracelet/x/ansi"

	"github.com/aloudchat/aloud/internal/sanitize"
)

// checkFrame checks what every frame must be: as many rows as the screen has, none too wide, with nothing but text,
// colours and links, which end in their row, and the cursor on the screen.
func (d *driver) checkFrame() {
	d.t.Helper()
	v := d.m.View()
	rows := strings.Split(v.Content, "\n")
	width, height := d.m.width, d.m.height
	if width <= 0 || height <= 0 {
		return // the size is not yet known
	}
	if len(rows) != height {
		d.t.Fatalf("%dx%d: the frame has %d rows:\n%s", width, height, len(rows), d.screen())
	}
	parser := ansi.NewParser()
	for y, row := range rows {
		if w := d.m.look.Method.StringWidth(row); w > width {
			d.t.Fatalf("%dx%d: row %d is %d wide: %q", width, height, y, w, row)
		}
		if safe := sanitize.Output(row); safe != row || strings.Contains(row, "\t") {
			d.t.Fatalf("%dx%d: row %d is not safe: %q, want %q", width, height, y, row, safe)
		}
		if left := styleAfter(row, parser); !left.IsZero() {
			d.t.Fatalf("%dx%d: row %d leaves the style %+v: %q", width, height, y, left, row)
		}
	}
	if c := v.Cursor; c != nil && (c.X < 0 || c.X >= width || c.Y < 0 || c.Y >= height) {
		d.t.Fatalf("%dx%d: the cursor is at %d,%d:\n%s", width, height, c.X, c.Y, d.screen())
	}
	if safe := sanitize.Line(v.WindowTitle); safe != v.WindowTitle {
		d.t.Fatalf("the title is %q", v.WindowTitle)
	}
	if again := d.m.View().Content; again != v.Content {
		d.t.Fatalf("%dx%d: drawn again, the frame\n%s\nbecomes\n%s", width, height, v.Content, again)
	}
}

// styleAfter returns the style that a terminal has after a row.
func styleAfter(row string, parser *ansi.Parser) (style uv.Style) {
	for state := byte(0); row != ""; {
		_, _, n, next := ansi.DecodeSequence(row, state, parser)
		if parser.Command() == 'm' && ansi.HasCsiPrefix(row[:n]) {
			uv.ReadStyle(parser.Params(), &style)
		}
		row, state = row[n:], next
	}
	return style
}

// checkKeptRows checks that the rows that a scrolled transcript has kept are those that it would draw now.
func (d *driver) checkKeptRows() {
	d.t.Helper()
	if d.m.transcript.Following() {
		return // it may keep some space at its end
	}
	kept := d.m.View().Content
	d.m.restyle()
	if drawn := d.m.View().Content; kept != drawn {
		d.t.Fatalf("the kept rows are\n%s\nand drawn again\n%s", kept, drawn)
	}
}
