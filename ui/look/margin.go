package look

import "strings"

// Margin is the number of cells that the conversation leaves free on both sides of a screen. A narrow one needs them.
func Margin(width int) int {
	if width <= 40 {
		return 0
	}
	return 2
}

// Inset draws a row between two margins. The background of a row that Fill drew reaches over both.
func (s *Styles) Inset(row string, margin int) string {
	if row == "" || margin == 0 {
		return row
	}
	space := strings.Repeat(" ", margin)
	for _, ground := range [...]*Style{&s.Question, &s.Code, &s.Added, &s.Removed} {
		if inner, filled := strings.CutPrefix(row, ground.on); filled && ground.on != "" {
			return ground.on + space + strings.TrimSuffix(inner, ground.off) + space + ground.off
		}
	}
	return space + row
}
