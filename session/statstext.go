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
	widestModel = 78 // cells of a model's name
	widestTool  = 30 // cells of a tool's name: a row of the table then fits 80
	mostModels  = 20 // the JSON form has all of them
	mostTools   = 30
)

// Text is the same for people: plain lines of at most 80 cells, safe to show in a terminal, without a newline at the end.
func (s Stats) Text() string {
	if s.Turns == 0 {
		return "No turns yet."
	}
	var parts []string
	for _, m := range s.Models[:min(len(s.Models), mostModels)] {
		parts = append(parts, m.text())
	}
	if more := len(s.Models) - mostModels; more > 0 {
		parts = append(parts, "… and "+many(more, "more model"))
	}
	return strings.Join(parts, "\n\n")
}

func (m ModelStats) text() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s\n", name(m.Model, widestModel))
	fmt.Fprintf(&b, "  turns    %d in %s; %s finished (%d)\n", m.Turns, many(m.Conversations, "conversation"), percent(share(m.Finished, m.Turns)), m.Finished)
	if stops := m.stops(); stops != "" {
		fmt.Fprintf(&b, "  stopped  %s\n", stops)
	}
	fmt.Fprintf(&b, "  rounds   %.1f a turn, median %d, 99th percentile %d; two or more in %s\n",
		m.Rounds.Mean, m.Rounds.Median, m.Rounds.P99, percent(m.Rounds.Chained))
	if speed := m.Speed.text(); speed != "" {
		fmt.Fprintf(&b, "  tokens   %s\n", speed)
	}
	l := m.Latency
	rows := [][]string{
		{"  time of a turn", "load", "prompt", "answer", "tools", "total"},
		{"  median", seconds(l.Load.Median), seconds(l.Prompt.Median), seconds(l.Answer.Median), seconds(l.Tools.Median), seconds(l.Total.Median)},
		{"  95th percentile", seconds(l.Load.P95), seconds(l.Prompt.P95), seconds(l.Answer.P95), seconds(l.Tools.P95), seconds(l.Total.P95)},
	}
	b.WriteString("\n" + columns(rows))
	if len(m.Tools) > 0 {
		b.WriteString("\n\n" + columns(m.toolRows()))
	}
	return b.String()
}

func (m ModelStats) toolRows() [][]string {
	rows := [][]string{{"  tool", "calls", "failed", "rate", "repaired", "median", "95th"}}
	for i, t := range m.Tools {
		if i == mostTools {
			rows = append(rows, []string{fmt.Sprintf("  … and %d more", len(m.Tools)-i)})
			break
		}
		called := name(t.Name, widestTool)
		if t.Name == "" {
			called = "(tools that do not exist)"
		}
		rows = append(rows, []string{"  " + called, fmt.Sprint(t.Calls), fmt.Sprint(t.Failed), percent(t.FailureRate), fmt.Sprint(t.Repaired),
			seconds(t.Duration.Median), seconds(t.Duration.P95)})
	}
	return rows
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
			said = append(said, fmt.Sprintf("%d %s", m.Stops[r], name(string(r), 12)))
		}
	}
	return strings.ReplaceAll(ansi.Wordwrap(strings.Join(said, ", "), 68, ""), "\n", "\n           ")
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
