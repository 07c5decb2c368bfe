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

// A receipt is a notice of several lines: the times of the turn, and of each of its steps. The first line is shown, and
// the others are unfolded with the details of tool calls.
const (
	keptLaps = 100 // of a turn, which may have thousands
	longLap  = 400 // bytes of a line, because titles come from servers
)

// ReceiptOf returns the text of a turn's receipt, or "" if nothing was measured and the turn was not stopped.
func ReceiptOf(r event.Result) string {
	steps := r.Timing.Steps
	if r.Stop.Reason == event.Done && r.Usage.AnswerTokens == 0 && len(r.ToolCalls) == 0 && len(steps) == 0 {
		return ""
	}
	lines := []string{status.Receipt(r)}
	if len(steps) < 2 { // a single step adds nothing
		return lines[0]
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
	return strings.Join(lines, "\n")
}

// newReceipt returns the receipt of a turn with its tape, or nil if there is none. It sorts the steps of r by their
// start.
func newReceipt(r event.Result) *noticeEntry {
	slices.SortStableFunc(r.Timing.Steps, func(a, b event.Lap) int { return cmp.Compare(a.StartMS, b.StartMS) })
	text := ReceiptOf(r)
	if text == "" {
		return nil
	}
	e := newNoticeEntry(Receipt, text)
	r.Timing.Steps = r.Timing.Steps[:min(len(r.Timing.Steps), keptLaps)]
	e.tape = tape.Of(r)
	for i := range e.tape.Spans {
		e.tape.Spans[i].Title = "" // the text has it
	}
	return e
}

// Tape returns the receipt of the last turn with its waterfall, as text for a report: names and numbers only. It is ""
// if no turn has ended.
func (t *Transcript) Tape() string {
	const width = 100
	st := look.Look{Styles: look.MonoStyles(), Method: t.look.Method, Mono: true, Details: true}
	for _, e := range slices.Backward(t.entries) {
		if n, ok := e.(*noticeEntry); ok && n.kind == Receipt {
			return ansi.Strip(strings.Join(receiptRows(sanitize.Text(n.text), n.tape, 0, width, &st), "\n")) + "\n"
		}
	}
	return ""
}

// Cells of a tape before a receipt, and of a lap before its bar.
const receiptCells, lapCells = 10, 34

// separator separates the parts of a receipt.
const separator = " · "

// receiptRows draws a receipt behind its tape in a few cells, and unfolded the whole tape with a row for each lap. It
// highlights why a turn was stopped, and the chosen step, which counts from 1.
func receiptRows(text string, axis tape.Tape, step, width int, st *look.Look) []string {
	width = look.Reading(width)
	first, laps, _ := strings.Cut(strings.ReplaceAll(text, "\t", " "), "\n")
	cells, room := "", width
	if brief := axis.Brief(receiptCells); width >= look.Roomy && brief != nil {
		cells, room = st.Tape(brief)+"  ", width-receiptCells-2
	}
	rest := essence(first, room, st)
	tone, why := st.Dim, ""
	if stopped, failed := strings.HasPrefix(rest, "■"), strings.HasPrefix(rest, "✗"); stopped || failed {
		if tone = st.Warn; failed {
			tone = st.Err
		}
		why, _, _ = strings.Cut(rest, separator)
		rest = strings.TrimPrefix(rest, why)
	}
	rows := []string{cells + tone.Render(why) + st.Dim.Render(rest)}
	if !st.Details || laps == "" {
		return rows
	}
	if cells != "" {
		rows = append(rows, st.Tape(axis.Shrunk(width)))
	}
	for i, lap := range strings.Split(laps, "\n") {
		tone := st.Dim
		if i+1 == step {
			tone, lap = st.Chosen, "▸"+lap[1:] // a space
		}
		row := tone.Render(st.Clip(lap, width))
		if cells != "" && i < len(axis.Spans) {
			lap = st.Clip(lap, lapCells-1)
			gap := strings.Repeat(" ", lapCells-st.Method.StringWidth(lap))
			row = strings.TrimRight(tone.Render(lap)+gap+st.Tape(axis.Bar(i, width-lapCells)), " ")
		}
		rows = append(rows, row)
	}
	return rows
}

// essence drops parts of a receipt that is too wide, the last ones first, but keeps the total time.
func essence(line string, width int, st *look.Look) string {
	parts := strings.Split(line, separator)
	for len(parts) > 2 && st.Method.StringWidth(strings.Join(parts, separator)) > width {
		parts = slices.Delete(parts, len(parts)-2, len(parts)-1)
	}
	return st.Clip(strings.Join(parts, separator), width)
}
