package ui

import "github.com/charmbracelet/x/ansi"

// dear tells whether a frame is dear. The renderer writes every row with a wide character in it anew in each frame, Chinese text or an emoji,
// since it cannot be sure where the terminal has drawn what follows.
type dear struct {
	frames bool
	method ansi.Method
	rows   []string // what was looked at last
	drifts []bool   // and which of it is such a row
}

// look looks at the rows on the screen. Most are the same as before.
func (d *dear) look(rows []string, method ansi.Method) {
	if len(d.rows) != len(rows) || d.method != method {
		d.method, d.rows, d.drifts = method, make([]string, len(rows)), make([]bool, len(rows))
	}
	d.frames = false
	for i, row := range rows {
		if d.rows[i] != row {
			d.rows[i], d.drifts[i] = row, drifts(row, method)
		}
		d.frames = d.frames || d.drifts[i]
	}
}

// drifts tells whether a row has a character that is wide, or that terminals do not agree about.
func drifts(row string, method ansi.Method) bool {
	if ascii(row) {
		return false
	}
	for state := byte(0); row != ""; {
		text, width, n, next := ansi.DecodeSequence(row, state, nil)
		if width > 1 || width > 0 && method.StringWidth(text) != width {
			return true
		}
		row, state = row[n:], next
	}
	return false
}

func ascii(s string) bool {
	for i := range len(s) {
		if s[i] >= 0x80 {
			return false
		}
	}
	return true
}
