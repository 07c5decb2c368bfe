package look

// Memo keeps what was drawn, a row or some, for as long as what it was drawn from stays the same. Frames are many, changes of most rows
// are few.
type Memo[From comparable, Drawn any] struct {
	from  From
	drawn Drawn
	kept  bool
}

// Of returns what is drawn from that, drawing it only when it is something else than before.
func (m *Memo[From, Drawn]) Of(from From, draw func() Drawn) Drawn {
	if !m.kept || m.from != from {
		m.from, m.drawn, m.kept = from, draw(), true
	}
	return m.drawn
}
