package transcript

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/charmbracelet/x/ansi"

	"github.com/aloudchat/aloud/internal/sanitize"
	"github.com/aloudchat/aloud/provider/event"
	"github.com/aloudchat/aloud/status"
	"github.com/aloudchat/aloud/status/tape"
	"github.com/aloudchat/aloud/ui/look"
)

const (
	keptLaps     = 100 // of a turn, which may have thousands
	longLap      = 400 // bytes of a line, because titles come from servers
	receiptCells = 10  // of the tape before a receipt
	lapCells     = 34  // of a lap before its bar
)

// separator separates the parts of a receipt.
const separator = " · "

// receiptEntry has the times of a turn, and below them those of each of its steps, which are unfolded with the details
// of tool calls.
type receiptEntry struct {
	words string
	laps  []string // the lines of the steps, if there are several
	tape  tape.Tape
	steps []entry // what happened in each step
	step  int     // the chosen one, from 1; 0 if none
	drawn
}

// newReceipt returns the receipt of a turn, or nil if nothing was measured and the turn was not stopped. It sorts the
// steps of r by their start.
func newReceipt(r event.Result) *receiptEntry {
	steps := r.Timing.Steps
	if r.Stop.Reason == event.Done && r.Usage.AnswerTokens == 0 && len(r.ToolCalls) == 0 && len(steps) == 0 {
		return nil
	}
	slices.SortStableFunc(steps, func(a, b event.Lap) int { return cmp.Compare(a.StartMS, b.StartMS) })
	e := &receiptEntry{words: sanitize.Line(status.Receipt(r)), laps: lapLines(steps)}
	r.Timing.Steps = steps[:min(len(steps), keptLaps)]
	e.tape = tape.Of(r)
	for i := range e.tape.Spans {
		e.tape.Spans[i].Title = "" // its line has it
	}
	return e
}

// lapLines returns the lines of several steps. A single one adds nothing to the receipt.
func lapLines(steps []event.Lap) (lines []string) {
	if len(steps) < 2 {
		return nil
	}
	last := slices.MaxFunc(steps, func(a, b event.Lap) int { return cmp.Compare(a.Round, b.Round) }).Round
	round := 0
	for _, lap := range steps[:min(len(steps), keptLaps)] {
		lap.Title = sanitize.Cut(lap.Title, longLap)
		line := sanitize.Line(sanitize.Cut(status.LapLine(lap), longLap))
		switch {
		case last < 2: // a single round needs no number
			line = "  " + line
		case lap.Round > round:
			line = fmt.Sprintf("%3d  %s", lap.Round, line)
		default:
			line = "     " + line
		}
		round = max(round, lap.Round)
		lines = append(lines, line)
	}
	if more := len(steps) - keptLaps; more > 0 {
		lines = append(lines, "     and "+look.Thousands(more)+" more")
	}
	return lines
}

// Tape returns the receipt of the last turn with its waterfall, as text for a report: names and numbers only. It is ""
// if no turn has ended.
func (t *Transcript) Tape() string {
	const width = 100
	st := look.Look{Styles: look.MonoStyles(), Method: t.look.Method, Mono: true, Details: true}
	for _, e := range slices.Backward(t.entries) {
		if isReceipt(e) {
			return ansi.Strip(strings.Join(e.fresh().lines(width, &st), "\n")) + "\n"
		}
	}
	return ""
}

func isReceipt(e entry) bool { _, ok := e.(*receiptEntry); return ok }

func (e *receiptEntry) fresh() entry {
	return &receiptEntry{words: e.words, laps: e.laps, tape: e.tape}
}

// lines draws the receipt behind its tape in a few cells, and unfolded the whole tape with a row for each lap. It
// highlights why a turn was stopped, and the chosen step.
func (e *receiptEntry) lines(width int, st *look.Look) []string {
	if !e.stale(width, st) {
		return e.rows
	}
	width = look.Reading(width)
	cells, room := "", width
	if brief := e.tape.Brief(receiptCells); width >= look.Roomy && brief != nil {
		cells, room = st.Tape(brief)+"  ", width-receiptCells-2
	}
	rest, tone, why := essence(e.words, room, st), st.Dim, ""
	if stopped, failed := strings.HasPrefix(rest, "■"), strings.HasPrefix(rest, "✗"); stopped || failed {
		if tone = st.Warn; failed {
			tone = st.Err
		}
		why, _, _ = strings.Cut(rest, separator)
		rest = strings.TrimPrefix(rest, why)
	}
	e.rows = []string{cells + tone.Render(why) + st.Dim.Render(rest)}
	if !st.Details {
		return e.rows
	}
	if cells != "" {
		e.rows = append(e.rows, st.Tape(e.tape.Shrunk(width)))
	}
	for i, lap := range e.laps {
		tone := st.Dim
		if i+1 == e.step {
			tone, lap = st.Chosen, "▸"+lap[1:] // a space
		}
		row := tone.Render(st.Clip(lap, width))
		if cells != "" && i < len(e.tape.Spans) {
			lap = st.Clip(lap, lapCells-1)
			gap := strings.Repeat(" ", lapCells-st.Method.StringWidth(lap))
			row = strings.TrimRight(tone.Render(lap)+gap+st.Tape(e.tape.Bar(i, width-lapCells)), " ")
		}
		e.rows = append(e.rows, row)
	}
	return e.rows
}

// essence drops parts of a receipt that is too wide, the last ones first, but keeps the total time.
func essence(line string, width int, st *look.Look) string {
	parts := strings.Split(line, separator)
	for len(parts) > 2 && st.Method.StringWidth(strings.Join(parts, separator)) > width {
		parts = slices.Delete(parts, len(parts)-2, len(parts)-1)
	}
	return st.Clip(strings.Join(parts, separator), width)
}
