package tape

import "time"

// Brief draws the work of the turn in n cells for a receipt: each kind of work has its part of the cells, in the order
// of time. It returns nil if that says nothing, because the turn has a single part or all took no time.
func (t Tape) Brief(n int) []Cell {
	var took, ends, done [Wait + 1]time.Duration
	var drawn [Wait + 1]int
	whole, parts := time.Duration(0), make([]time.Duration, len(t.Spans))
	for i, s := range t.Spans {
		parts[i] = max(0, s.End()-max(s.Start, ends[s.Kind])) // time that spans of a kind share counts once
		ends[s.Kind] = max(s.End(), ends[s.Kind])
		took[s.Kind] += parts[i]
		whole += parts[i]
	}
	if len(t.Spans) < 2 || whole == 0 {
		return nil
	}
	var row []Cell
	cells := divide(n, took, whole)
	for i, s := range t.Spans {
		k := s.Kind
		done[k] += parts[i]
		for drawn[k] < cells[k] && took[k]/time.Duration(cells[k])*time.Duration(drawn[k]) < done[k] {
			row = append(row, Cell{Mark: Solid, Span: i, Kind: k})
			drawn[k]++
		}
	}
	return row
}

// divide divides n cells among the kinds with Sainte-Laguë's method. A kind with three percent of the time has a cell.
func divide(n int, took [Wait + 1]time.Duration, whole time.Duration) (cells [Wait + 1]int) {
	for range n {
		next, most := Load, time.Duration(0)
		for k, d := range took {
			claim := d / time.Duration(2*cells[k]+1)
			if cells[k] == 0 && d > whole*3/100 {
				claim += whole
			}
			if claim > most {
				next, most = Kind(k), claim
			}
		}
		cells[next]++
	}
	return cells
}
