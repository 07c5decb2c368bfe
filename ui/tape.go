package ui

import (
	"strings"
	"time"

	"github.com/aloudchat/aloud/provider/event"
	"github.com/aloudchat/aloud/status"
	"github.com/aloudchat/aloud/status/tape"
	"github.com/aloudchat/aloud/ui/look"
)

// ruler is the rule between the conversation and the composer. While a turn runs it is the turn's tape, with a row of
// labels below if there is room.
type ruler struct {
	tape  tape.Tape
	shown bool // there is a tape
	still bool // it is drawn at steps only, so it names no time that runs
	drawn int  // number of drawings so far
	last  time.Time

	memo look.Memo[ruling, []string]
}

// ruling is what the rows of a ruler depend on.
type ruling struct {
	width  int
	height int    // of the screen
	hint   string // at the right end
	look   look.Look
	drawn  int
}

// tapeTime is the least time between two moves of now. Each costs about as much as a turn of the spinner.
const tapeTime = 2 * spinTime * 2 / 3

// move moves now. It is called with the spinner, so that the tape needs no timer of its own.
func (r *ruler) move(s status.State, m motion, now time.Time) {
	if now.Sub(r.last) >= tapeTime {
		r.follow(s, m, now)
	}
}

// follow draws the tape at a time.
func (r *ruler) follow(s status.State, m motion, now time.Time) {
	if s.Tape == nil {
		return
	}
	r.tape, r.shown, r.still = *s.Tape, true, !m.spins
	if m.spins {
		r.tape = s.TapeAt(now)
	}
	r.drawn++
	r.last = now
}

// end draws the end of the turn. After an answer only the receipt has its times; a failure or a limit stays to be seen.
func (r *ruler) end(s status.State, why event.Reason, now time.Time) {
	switch {
	case why == event.Done:
		*r = ruler{}
	case r.shown:
		r.tape = s.TapeAt(now).End(tape.EndingOf(why))
		r.drawn++
	}
}

// rows returns the rule and the labels for a screen. The hint is shown at the right end. A low screen has no tape.
func (r *ruler) rows(width, height int, hint string, st *look.Look) []string {
	return r.memo.Of(ruling{width, height, hint, *st, r.drawn}, func() []string {
		if !r.shown || height < 12 {
			return []string{ruled(make([]tape.Cell, width), hint, st)}
		}
		return []string{ruled(r.tape.Row(width), hint, st), r.labels(width, st)}
	})
}

// ruled draws the cells of a rule, with a hint over its right end.
func ruled(cells []tape.Cell, hint string, st *look.Look) string {
	end := ""
	if room := len(cells) - 4; hint != "" && room > 0 {
		hint = st.Clip(" "+hint+" ", room)
		cells = cells[:max(0, len(cells)-2-st.Method.StringWidth(hint))]
		end = st.Accent.Render(hint) + st.Faint.Render("──")
	}
	return st.Tape(cells) + end
}

// labels draws the row below the tape.
func (r *ruler) labels(width int, st *look.Look) string {
	var row strings.Builder
	end := 0
	for _, l := range r.tape.Labels(width) {
		if r.still && l.Mark != tape.Solid {
			continue
		}
		style := st.Dim
		if l.Mark == tape.Head {
			style = st.Accent
		}
		row.WriteString(strings.Repeat(" ", max(0, l.At-end)) + style.Render(l.Text))
		end = l.At + st.Method.StringWidth(l.Text)
	}
	return row.String()
}
