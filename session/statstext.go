package session

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/charmbracelet/x/ansi"

	"github.com/aloudchat/aloud/provider"
	"github.com/aloudchat/aloud/sanitize"
)

const (
	usualWidth = 80 // of a terminal
	leastWidth = 32 // the tables fit no less
	widestTool = 30 // cells of a tool's name
	mostModels = 20 // the JSON form has all of them
	mostTools  = 30
)

// Text is the same for people: plain lines of at most 80 cells, safe to show in a terminal, without a newline at the end.
func (s Stats) Text() string { return s.Lines(usualWidth) }

// Lines is Text for so many cells, from 32 on. In few the tables have fewer columns.
func (s Stats) Lines(width int) string {
	width = max(leastWidth, min(width, usualWidth))
	if s.Turns == 0 {
		return "No turns yet."
	}
	var parts []string
	for _, m := range s.Models[:min(len(s.Models), mostModels)] {
		parts = append(parts, m.text(width))
	}
	if more := len(s.Models) - mostModels; more > 0 {
		parts = append(parts, "… and "+many(more, "more model"))
	}
	return strings.Join(parts, "\n\n")
}

func (m ModelStats) text(width int) string {
	lines := []string{name(m.Model, width-2)}
	fact := func(what, text string) {
		const margin = 11
		if text != "" {
			text = strings.ReplaceAll(ansi.Wordwrap(text, width-margin, ""), "\n", "\n"+strings.Repeat(" ", margin))
			lines = append(lines, fmt.Sprintf("  %-*s%s", margin-2, what, text))
		}
	}
	fact("turns", fmt.Sprintf("%d in %s; %s finished (%d)", m.Turns, many(m.Conversations, "conversation"), percent(share(m.Finished, m.Turns)), m.Finished))
	fact("stopped", m.stops())
	fact("rounds", fmt.Sprintf("%.1f a turn, median %d, 99th percentile %d; two or more in %s",
		m.Rounds.Mean, m.Rounds.Median, m.Rounds.P99, percent(m.Rounds.Chained)))
	fact("tokens", m.Speed.text())
	lines = append(lines, "", m.Latency.text(width))
	if len(m.Tools) > 0 {
		lines = append(lines, "", m.toolTable(width))
	}
	return strings.Join(lines, "\n")
}

// text is a table with a column for each step, or a row where that is too wide.
func (l LatencyStats) text(width int) string {
	rows := [][]string{
		{"  time of a turn", "load", "prompt", "answer", "tools", "total"},
		{"  median", seconds(l.Load.Median), seconds(l.Prompt.Median), seconds(l.Answer.Median), seconds(l.Tools.Median), seconds(l.Total.Median)},
		{"  95th percentile", seconds(l.Load.P95), seconds(l.Prompt.P95), seconds(l.Answer.P95), seconds(l.Tools.P95), seconds(l.Total.P95)},
	}
	if table := columns(rows); cells(table) <= width {
		return table
	}
	turned := [][]string{{"  time of a turn", "median", "95th"}}
	for i, step := range rows[0][1:] {
		turned = append(turned, []string{"    " + step, rows[1][i+1], rows[2][i+1]})
	}
	return columns(turned)
}

// toolTable has as many columns as fit beside the names.
func (m ModelStats) toolTable(width int) string {
	least := 2 + 2 + 2 + len("failed") // the margin, and the columns that are always there
	shown := 0
	for _, t := range m.Tools[:min(len(m.Tools), mostTools)] {
		shown = max(shown, len(t.ran()))
	}
	widest := min(widestTool, width-least-max(shown, len("ran")))
	rows := [][]string{{"  tool", "ran", "failed", "rate", "repaired", "median", "95th"}}
	for i, t := range m.Tools {
		if i == mostTools {
			rows = append(rows, []string{fmt.Sprintf("  … and %d more", len(m.Tools)-i)})
			break
		}
		called := name(t.Name, widest)
		if t.Name == "" {
			called = name("(tools that do not exist)", widest)
		}
		row := []string{"  " + called, t.ran(), fmt.Sprint(t.Failed), percent(t.FailureRate), fmt.Sprint(t.Repaired),
			seconds(t.Duration.Median), seconds(t.Duration.P95)}
		switch t.Calls - t.NotRun {
		case 0:
			row[3], row[5], row[6] = "-", "-", "-"
		case t.Failed: // only calls that worked are timed
			row[5], row[6] = "-", "-"
		}
		rows = append(rows, row)
	}
	for _, dear := range []string{"repaired", "95th", "rate", "median"} {
		if cells(columns(rows)) <= width {
			break
		}
		at := slices.Index(rows[0], dear)
		for i, row := range rows {
			if at < len(row) {
				rows[i] = slices.Delete(row, at, at+1)
			}
		}
	}
	return columns(rows)
}

// ran is how many of the calls ran: "5", or "1 of 5".
func (t ToolStats) ran() string {
	if t.NotRun == 0 {
		return fmt.Sprint(t.Calls)
	}
	return fmt.Sprintf("%d of %d", t.Calls-t.NotRun, t.Calls)
}

// stops lists why turns did not finish, the most frequent reason first.
func (m ModelStats) stops() string {
	reasons := slices.SortedFunc(maps.Keys(m.Stops), func(a, b provider.Reason) int {
		if d := m.Stops[b] - m.Stops[a]; d != 0 {
			return d
		}
		return strings.Compare(string(a), string(b))
	})
	const mostReasons = 9 // there are no more, but a file may say anything
	var said []string
	for _, r := range reasons {
		if r != provider.Done && len(said) < mostReasons {
			why := name(string(r), 12)
			if r == provider.Cancelled {
				why = "by you"
			}
			said = append(said, fmt.Sprintf("%d %s", m.Stops[r], why))
		}
	}
	return strings.Join(said, ", ")
}

// columns puts the first cell of every row to the left and the others to the right, each column as wide as its widest cell.
func columns(rows [][]string) string {
	var widths []int
	for _, row := range rows {
		for i, cell := range row {
			if i == len(widths) {
				widths = append(widths, 0)
			}
			widths[i] = max(widths[i], ansi.StringWidth(cell))
		}
	}
	var lines []string
	for _, row := range rows {
		line := ""
		for i, cell := range row {
			room := strings.Repeat(" ", widths[i]-ansi.StringWidth(cell))
			if i == 0 {
				line = cell + room
			} else {
				line += "  " + room + cell
			}
		}
		lines = append(lines, strings.TrimRight(line, " "))
	}
	return strings.Join(lines, "\n")
}

// cells is how wide a table is.
func cells(table string) (widest int) {
	for line := range strings.Lines(table) {
		widest = max(widest, ansi.StringWidth(line))
	}
	return widest
}

// name is what a model, a tool or a file called something, harmless and not too wide.
func name(s string, width int) string {
	if s = sanitize.Line(s); s == "" {
		return "(without a name)"
	}
	return ansi.Truncate(s, width, "…")
}

func many(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}

func percent(share float64) string { return fmt.Sprintf("%.0f%%", share*100) }

// text leaves out what was not measured.
func (s SpeedStats) text() string {
	var parts []string
	for _, speed := range []struct {
		tokens float64
		of     string
	}{{s.Read, "read"}, {s.Written, "written"}} {
		if speed.tokens > 0 {
			parts = append(parts, fmt.Sprintf("%.*f/s %s", digits(speed.tokens), speed.tokens, speed.of))
		}
	}
	return strings.Join(parts, ", ")
}

// digits is how many of a speed mean something after the point.
func digits(speed float64) int {
	if speed < 10 {
		return 1
	}
	return 0
}

// seconds shortens milliseconds so that a column of them can be compared.
func seconds(ms int64) string {
	if d := time.Duration(ms) * time.Millisecond; d >= 1000*time.Second {
		return fmt.Sprintf("%.0fm", d.Minutes())
	}
	return fmt.Sprintf("%.1fs", float64(ms)/1000)
}
