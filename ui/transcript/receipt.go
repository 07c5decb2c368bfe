package transcript

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	"github.com/aloudchat/aloud/provider"
	"github.com/aloudchat/aloud/sanitize"
	"github.com/aloudchat/aloud/ui/look"
)

// A receipt is a notice of several lines: what the turn took, and what each of its steps took. The first is shown, the others are unfolded with
// the details of tool calls.
const (
	shownLaps = 40  // on the screen; the pager has all
	keptLaps  = 500 // of a turn, which may have thousands
	longLap   = 400 // bytes of a line: titles come from servers
)

// ReceiptOf is the text of a turn's receipt; "" for one in which nothing was measured and that was not stopped.
func ReceiptOf(r provider.Result) string {
	steps := r.Timing.Steps
	told := r.Stop.Reason == provider.Done || r.Stop.Reason == provider.Failed // by an answer, or by an error
	if told && r.Usage.AnswerTokens == 0 && len(r.ToolCalls) == 0 && len(steps) == 0 {
		return ""
	}
	lines := []string{r.Receipt()}
	if len(steps) < 2 { // one step says nothing more
		return lines[0]
	}
	kept := steps[:min(len(steps), keptLaps)]
	margin := roundMargin(kept)
	round := 0
	for _, lap := range kept {
		number := ""
		if lap.Round > round && margin > 0 {
			number = strconv.Itoa(lap.Round)
		}
		round = max(round, lap.Round)
		lap.Title = sanitize.Cut(lap.Title, longLap)
		line := sanitize.Line(sanitize.Cut(lap.Line(), longLap))
		lines = append(lines, padLeft(number, margin)+"  "+line)
	}
	if more := len(steps) - len(kept); more > 0 {
		lines = append(lines, padLeft("", margin)+"  and "+look.Thousands(more)+" more")
	}
	return strings.Join(lines, "\n")
}

// roundMargin is how many cells the numbers of the rounds take, in front of the first step of each. A single round needs no number.
func roundMargin(laps []provider.Lap) int {
	last := slices.MaxFunc(laps, func(a, b provider.Lap) int { return cmp.Compare(a.Round, b.Round) }).Round
	if last < 2 {
		return 0
	}
	return 2 + len(strconv.Itoa(last))
}

func padLeft(s string, width int) string { return strings.Repeat(" ", max(0, width-len(s))) + s }

// separator parts what a receipt says.
const separator = " · "

// receiptRows draws a receipt, each of its lines on one row. Why a turn was stopped stands out.
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
		rows = append(rows, lapRows(strings.Split(laps, "\n"), look.Reading(width), st)...)
	}
	look.Paint(rows, st.Dim)
	if why != "" {
		rows[0] = st.Warn.Render(why) + rows[0]
	}
	return rows
}

func lapRows(laps []string, width int, st *look.Look) []string {
	more := 0
	if !st.Whole && len(laps) > shownLaps {
		laps, more = laps[:shownLaps], len(laps)-shownLaps
	}
	var rows []string
	for _, lap := range laps {
		rows = append(rows, st.Clip(lap, width))
	}
	if more > 0 {
		rows = append(rows, st.Clip("  … "+look.Thousands(more)+" more lines (ctrl+o)", width))
	}
	return rows
}

// essence leaves out parts of a receipt that is too wide, the last ones first, but not the time the turn took in all.
func essence(line string, width int, st *look.Look) string {
	parts := strings.Split(line, separator)
	for len(parts) > 2 && st.Method.StringWidth(strings.Join(parts, separator)) > width {
		parts = slices.Delete(parts, len(parts)-2, len(parts)-1)
	}
	return st.Clip(strings.Join(parts, separator), width)
}
