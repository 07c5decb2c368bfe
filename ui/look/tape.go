package look

import (
	"strings"

	"github.com/aloudchat/aloud/status/tape"
)

// Tape draws cells of a tape.
func (s *Styles) Tape(cells []tape.Cell) string {
	var row strings.Builder
	for len(cells) > 0 {
		n := 1
		for n < len(cells) && cells[n].Mark == cells[0].Mark && cells[n].Kind == cells[0].Kind {
			n++
		}
		row.WriteString(s.cell(cells[0]).Render(tape.Text(cells[:n])))
		cells = cells[n:]
	}
	return row.String()
}

// cell returns the role of a cell. Colours only help: every cell has its own glyph.
func (s *Styles) cell(c tape.Cell) Style {
	switch {
	case c.Mark == tape.Head:
		return s.Accent
	case c.Mark == tape.Stop && c.Ended == tape.Limit:
		return s.Warn
	case c.Mark == tape.Stop && c.Ended == tape.Failed:
		return s.Err
	case c.Mark == tape.Dashed, c.Mark == tape.Stop:
		return s.Dim
	case c.Mark != tape.Solid:
		return s.Faint
	}
	switch c.Kind {
	case tape.Load:
		return s.User
	case tape.Read:
		return s.Accent
	case tape.Tool:
		return s.OK
	case tape.Retry:
		return s.Warn
	}
	return s.Text // brighter than the rule, which looks like thinking
}
