package tape

import (
	"math"
	"strings"
	"time"
)

// firstScale is the time of a whole row at the beginning of a turn.
const firstScale = 10 * time.Second

// Mark is what a cell shows.
type Mark int

// The marks of a cell.
const (
	Empty  Mark = iota // the future
	Quiet              // time passed in which no work was observed
	Solid              // the work of the span
	Dashed             // work that earlier runs make likely
	Gap                // you were asked
	Head               // now
	Stop               // the end of the turn
)

// Cell is one cell of a row.
type Cell struct {
	Mark  Mark
	Span  int    // the index of its span, if Solid
	Kind  Kind   // of its span
	Ended Ending // of a Stop
}

// Glyph returns the character of the cell. Every kind of work and every mark has its own, so that the row can be read
// without colours: the rule to the right of now and a model that thinks are told apart by the side of now.
func (c Cell) Glyph() string {
	switch c.Mark {
	case Quiet:
		return "·"
	case Solid:
		return c.Kind.Glyph()
	case Dashed:
		return "╌"
	case Gap:
		return Wait.Glyph()
	case Head:
		return "●"
	case Stop:
		return [...]string{Done: "┤", Limit: "■", Failed: "✗"}[c.Ended]
	}
	return "─"
}

// Text returns the cells as text.
func Text(cells []Cell) string {
	var b strings.Builder
	for _, c := range cells {
		b.WriteString(c.Glyph())
	}
	return b.String()
}

// Scale returns the time of a whole row. It grows in steps of 10 s, 20 s, 40 s and so on, so that between two steps the
// cells that are drawn stay the same.
func (t Tape) Scale() time.Duration {
	scale := firstScale
	for whole := t.Now + t.left(); scale < whole && scale <= math.MaxInt64/2; {
		scale *= 2
	}
	return scale
}

// Row draws the tape in width cells.
func (t Tape) Row(width int) []Cell {
	if width <= 0 {
		return nil
	}
	a := axis{t.Scale(), width}
	cells, now := a.draw(t), a.cell(t.Now)
	cells[now] = Cell{Mark: Head}
	if t.Ended != Running {
		cells[now] = Cell{Mark: Stop, Ended: t.Ended}
	}
	return cells
}

// Shrunk draws the whole turn in n cells. The last one is the mark of a limit or a failure.
func (t Tape) Shrunk(n int) []Cell {
	if n <= 0 {
		return nil
	}
	a := axis{max(t.Now, 1), n}
	t.Expected = Span{}
	cells := a.draw(t)
	if t.Ended == Limit || t.Ended == Failed {
		cells[n-1] = Cell{Mark: Stop, Ended: t.Ended}
	}
	return cells
}

// Bar draws one span of the whole turn in n cells.
func (t Tape) Bar(i, n int) []Cell {
	if n <= 0 {
		return nil
	}
	a := axis{max(t.Now, 1), n}
	cells := make([]Cell, n)
	for c := range cells {
		cells[c] = Cell{Mark: Gap}
	}
	s := t.Spans[i]
	first := a.cell(s.Start)
	for c := first; c < n && (c == first || float64(c)+0.5 < a.at(s.End())); c++ {
		cells[c] = Cell{Mark: Solid, Span: i, Kind: s.Kind}
	}
	return cells
}

// axis divides a time among cells.
type axis struct {
	scale time.Duration
	width int
}

// at returns the place of a time, in cells.
func (a axis) at(d time.Duration) float64 {
	return min(max(float64(d)/float64(a.scale), 0), 1) * float64(a.width)
}

// cell returns the cell of a time.
func (a axis) cell(d time.Duration) int { return min(int(a.at(d)), a.width-1) }

// draw draws everything but now. A cell shows the work that takes most of it, and of equals what started first.
func (a axis) draw(t Tape) []Cell {
	cells := make([]Cell, a.width)
	for i := range cells {
		if float64(i) < a.at(t.Now) {
			cells[i].Mark = Quiet
		}
	}
	most := make([]float64, a.width)
	lay := func(spans []Span, mark Mark, from, to time.Duration) {
		for i, s := range spans {
			begin, end := a.at(max(s.Start, from)), a.at(min(s.End(), to))
			for c := int(begin); c < a.width && float64(c) < end; c++ {
				if part := min(end, float64(c+1)) - max(begin, float64(c)); part > most[c] {
					cells[c], most[c] = Cell{Mark: mark, Span: i, Kind: s.Kind}, part
				}
			}
		}
	}
	lay(t.Spans, Solid, 0, t.Now)
	lay([]Span{t.Expected}, Dashed, t.Now, math.MaxInt64)
	for _, s := range t.Spans {
		if s.Kind == Wait {
			cells[a.cell(s.Start)] = Cell{Mark: Gap}
		}
	}
	return cells
}
