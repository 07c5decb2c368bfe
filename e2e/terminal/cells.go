//go:build unix

package terminal

import (
	"fmt"
	"image/color"

	uv "github.com/charmbracelet/ultraviolet"
)

// Cell is a cell of the screen as it is drawn.
type Cell struct {
	Text       string // a character with its marks; "" for the right half of a wide one
	Foreground string // "#rrggbb", or "" for the default
	Background string
	Bold, Faint, Italic,
	Underline bool
	Reverse bool // the colours are swapped already, except for defaults
}

// Cells returns the screen, row by row.
func (t *Terminal) Cells() [][]Cell {
	t.mu.Lock()
	defer t.mu.Unlock()
	rows := make([][]Cell, t.screen.Height())
	for y := range rows {
		rows[y] = make([]Cell, t.screen.Width())
		for x := range rows[y] {
			rows[y][x] = drawn(t.screen.CellAt(x, y))
		}
	}
	return rows
}

func drawn(c *uv.Cell) Cell {
	if c == nil {
		return Cell{Text: " "}
	}
	text := c.Content
	if text == "" && c.Width != 0 {
		text = " "
	}
	has := func(attribute uint8) bool { return c.Style.Attrs&attribute != 0 }
	cell := Cell{
		Text: text, Foreground: hex(c.Style.Fg), Background: hex(c.Style.Bg),
		Bold: has(uv.AttrBold), Faint: has(uv.AttrFaint), Italic: has(uv.AttrItalic),
		Underline: c.Style.Underline != uv.UnderlineNone, Reverse: has(uv.AttrReverse),
	}
	if cell.Reverse {
		cell.Foreground, cell.Background = cell.Background, cell.Foreground
	}
	return cell
}

func hex(c color.Color) string {
	if c == nil {
		return ""
	}
	r, g, b, _ := c.RGBA()
	return fmt.Sprintf("#%02x%02x%02x", r>>8, g>>8, b>>8)
}
