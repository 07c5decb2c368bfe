package ui

import "github.com/aloudchat/aloud/ui/look"

// regions has the number of rows of each part of the screen, from top to bottom.
type regions struct {
	transcript int
	gap        int // an empty row above the status
	status     int // the status row; empty while idle, so that nothing moves when a turn begins
	list       int // completions
	queue      int // messages queued until the turn ends
	attached   int // files that the draft attaches
	rule       int // the tape and its labels, empty while idle; 0 above a dialog, which has its own rule
	input      int // the composer, or the dialog in its place
	footer     int
}

// wants has the rows that the parts below the transcript need.
type wants struct {
	input, list, queue int
	dialog             bool // a dialog may take more of the screen than the composer
	attached           int
}

// arrange divides the screen. The input comes first, then a row of the transcript. A small screen drops the
// labels, the gap, the rule, the footer and the status, in this order.
func arrange(width, height int, want wants) regions {
	var r regions
	left := max(1, height)
	take := func(rows int) int {
		rows = max(0, min(rows, left))
		left -= rows
		return rows
	}
	most := max(1, height/3)
	if want.dialog {
		most = dialogRows(height)
	}
	r.input = take(max(1, min(want.input, most)))
	r.transcript = take(1)
	if height >= 3 {
		r.status = take(1)
	}
	if height >= 5 && !(want.dialog && height < 10) {
		r.footer = take(1)
	}
	if height >= 8 && !want.dialog {
		r.rule = take(1)
	}
	if height >= 24 && !want.dialog && width >= look.Roomy {
		r.rule += take(1)
	}
	if height >= 20 && !want.dialog {
		r.gap = take(1)
	}
	r.queue = take(min(want.queue, left/2))
	r.attached = take(min(want.attached, left/2))
	r.list = take(min(want.list, 8, left-left/3))
	r.transcript += left
	return r
}

// dialogRows returns the maximum height of a dialog: nearly all of the screen.
func dialogRows(height int) int {
	if height < 10 {
		return max(1, height-2)
	}
	return height - 4
}
