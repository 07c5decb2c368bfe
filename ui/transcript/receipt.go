package transcript

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/aloudchat/aloud/internal/sanitize"
	"github.com/aloudchat/aloud/provider/event"
	"github.com/aloudchat/aloud/status"
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
	told := r.Stop.Reason == event.Done || r.Stop.Reason == event.Failed // explained by an answer, or by an error
	if told && r.Usage.AnswerTokens == 0 && len(r.ToolCalls) == 0 && len(steps) == 0 {
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

// separator separates the parts of a receipt.
const separator = " · "

// receiptRows draws a receipt, one row per line. It highlights why a turn was stopped.
func receiptRows(text string, width int, st *look.Look) []string {
	line, laps, _ := strings.Cut(strings.ReplaceAll(text, "\t", " "), "\n")
	line = essence(line, look.Reading(width), st)
	why := ""
	if strings.HasPrefix(line, "■") {
		why, _, _ = strings.Cut(line, separator)
		line = strings.TrimPrefix(line, why)
	}
	rows := []string{line}
	if st.Details && laps != "" {
		for lap := range strings.SplitSeq(laps, "\n") {
			rows = append(rows, st.Clip(lap, look.Reading(width)))
		}
	}
	look.Paint(rows, st.Dim)
	if why != "" {
		rows[0] = st.Warn.Render(why) + rows[0]
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
