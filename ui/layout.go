package ui

// regions are the rows of each part of the screen, from top to bottom.
type regions struct {
	transcript int
	gap        int // sets the status apart from the text
	status     int // what aloud is doing; kept free while idle, so that nothing moves when a turn begins
	list       int // completions of a slash command
	queue      int // messages that wait for the turn to end
	rule       int // a dialog brings its own
	input      int // the composer, or the dialog in its place
	footer     int
}

// wants are the rows that the parts below the transcript would like to have.
type wants struct {
	input, list, queue int
	dialog             bool // a dialog may take more of the screen than the composer
}

// arrange shares out the screen. The input comes first, then a row of transcript; a small screen loses the gap, the rule, the footer
// and the status, in this order.
func arrange(height int, want wants) regions {
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
	if height >= 20 && !want.dialog {
		r.gap = take(1)
	}
	r.queue = take(min(want.queue, left/2))
	r.list = take(min(want.list, 8, left-left/3))
	r.transcript += left
	return r
}

// dialogRows is how much of the screen a dialog may take: nearly all.
func dialogRows(height int) int {
	if height < 10 {
		return max(1, height-2)
	}
	return height - 4
}
