package ui

import (
	"time"

	"github.com/charmbracelet/x/ansi"
)

// frameCost says how often there should be a frame for nothing but the spinner. Each costs time for every cell of the screen. And the renderer
// rewrites every row that has a wide character, Chinese text or an emoji, in each frame: it cannot be sure where the terminal has drawn the rest.
type frameCost struct {
	cells  int
	wide   bool // there is such a row
	method ansi.Method
	rows   []string // what was looked at last
	drifts []bool   // and which of it is such a row
}

// every is how long one picture of the spinner stays; 0: as long as the text.
func (d *frameCost) every() time.Duration {
	const cells = 12_000 // that may be drawn in a second for nothing but a spinner
	switch stays := time.Duration(d.cells) * time.Second / cells; {
	case d.wide || stays >= time.Second:
		return 0
	default:
		return max(stays, time.Second/4) // enough to see that it turns
	}
}

// look looks at the rows on the screen. Most are the same as before.
func (d *frameCost) look(rows []string, width int, method ansi.Method) {
	if len(d.rows) != len(rows) || d.method != method {
		d.method, d.rows, d.drifts = method, make([]string, len(rows)), make([]bool, len(rows))
	}
	d.cells, d.wide = len(rows)*width, false
	for i, row := range rows {
		if d.rows[i] != row {
			d.rows[i], d.drifts[i] = row, drifts(row, method)
		}
		d.wide = d.wide || d.drifts[i]
	}
}

// drifts reports whether a row has a character that is wide, or that terminals do not agree about.
func drifts(row string, method ansi.Method) bool {
	if ascii(row) {
		return false
	}
	for state := byte(0); row != ""; {
		text, _, n, next := ansi.DecodeSequence(row, state, nil)
		if width := ansi.StringWidth(text); width > 1 || method.StringWidth(text) != width {
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
