package ui

import (
	"io"
	"maps"
	"slices"
	"strings"

	uv "github.com/charmbracelet/ultraviolet"
	"github.com/charmbracelet/x/vt"
)

// ghost is a second terminal that marks all cells before each write. A cell without its mark was written, even if the
// content did not change.
type ghost struct {
	emu  *vt.Emulator
	rows map[int]bool // rows that were written
	on   bool         // whether rows are recorded
}

func newGhost(width, height int) ghost {
	emu := vt.NewEmulator(width, height)
	go func() { _, _ = io.Copy(io.Discard, emu) }()
	return ghost{emu: emu, rows: map[int]bool{}}
}

func (g *ghost) haunt(written []byte) {
	if !g.on {
		_, _ = g.emu.Write(written)
		return
	}
	mark := &uv.Cell{Content: "▒", Width: 1}
	width, height := g.emu.Width(), g.emu.Height()
	for y := range height {
		for x := range width {
			g.emu.SetCell(x, y, mark)
		}
	}
	_, _ = g.emu.Write(written)
	for y := range height {
		for x := range width {
			if c := g.emu.CellAt(x, y); c == nil || c.Content != mark.Content {
				g.rows[y] = true
				break
			}
		}
	}
}

// written returns the rows written since the last call, from the top. The first call returns none.
func (t *terminal) written() []int {
	t.raw.mu.Lock()
	defer t.raw.mu.Unlock()
	rows := slices.Sorted(maps.Keys(t.raw.rows))
	clear(t.raw.rows)
	t.raw.on = true
	return rows
}

// bytes returns the number of bytes written so far.
func (t *terminal) bytes() int {
	t.raw.mu.Lock()
	defer t.raw.mu.Unlock()
	return t.raw.all.Len()
}

// row returns the row of the screen that contains a text, or -1.
func (t *terminal) row(text string) int {
	return slices.IndexFunc(strings.Split(t.screen(), "\n"), func(row string) bool { return strings.Contains(row, text) })
}
