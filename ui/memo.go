package ui

// memo keeps a row that was drawn, for as long as what it was drawn from stays the same. Frames are many, changes of most rows are few.
type memo[K comparable] struct {
	from  K
	row   string
	drawn bool
}

// of returns the row for key, drawing it only when key is another one than before.
func (m *memo[K]) of(key K, draw func() string) string {
	if !m.drawn || m.from != key {
		m.from, m.row, m.drawn = key, draw(), true
	}
	return m.row
}
