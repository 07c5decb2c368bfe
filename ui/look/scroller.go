package look

import "fmt"

// Scroller is the part of a long text that is in view. The zero value is at its beginning.
type Scroller struct {
	From int // the first row in view
	Page int // how many rows are in view, as of the last time they were drawn
}

// Scroll takes the keys that scroll and reports whether this was one.
func (s *Scroller) Scroll(key string) bool {
	switch key {
	case "up":
		s.From--
	case "down":
		s.From++
	case "pgup":
		s.From -= max(1, s.Page-1)
	case "pgdown":
		s.From += max(1, s.Page-1)
	case "home":
		s.From = 0
	case "end":
		s.From = 1 << 30
	default:
		return false
	}
	return true
}

// Window returns the rows in view, and where they are when they are not all: "1–12 of 40".
func (s *Scroller) Window(rows []string, height int) (in []string, where string) {
	from, to, where := s.Extent(len(rows), height)
	return rows[from:to], where
}

// Extent is Window for rows that are drawn only when they are in view.
func (s *Scroller) Extent(rows, height int) (from, to int, where string) {
	s.Page = height
	s.From = max(0, min(s.From, rows-height))
	if rows <= height {
		return 0, rows, ""
	}
	return s.From, s.From + height, fmt.Sprintf("%d–%d of %d", s.From+1, s.From+height, rows)
}
