package eval

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/charmbracelet/x/ansi"

	"github.com/aloudchat/aloud/internal/quantity"
	"github.com/aloudchat/aloud/internal/sanitize"
	"github.com/aloudchat/aloud/provider"
)

// deed is what a defence repairs, in words.
type deed struct{ defence, words string }

var deeds = []deed{
	{"readPrinted", "calls written as text"},
	{"mapNames", "names of tools"},
	{"mendCalls", "arguments"},
	{"retry", "broken replies"},
	{"fillEmpty", "empty answers"},
	{"splitTags", "thinking in answers"},
	{"endThinking", "endless thinking"},
	{"endRepeats", "endless repetition"},
	{"foldRepeats", "repetition shortened"},
}

// rows returns the table. Each row has a name and a cell for each column, and those of an empty row are "". Rows about
// which nothing is known are left out.
func rows(columns []Column) (table [][]string) {
	blank := make([]string, len(columns)+1)
	add := func(name string, cell func(Column) string) {
		row, known := []string{name}, false
		for _, c := range columns {
			text := cell(c)
			row, known = append(row, cmp.Or(text, "–")), known || text != ""
		}
		if known {
			table = append(table, row)
		}
	}
	add("", func(c Column) string { return sanitize.CutMiddle(sanitize.Line(c.Model), widestName) })
	if slices.ContainsFunc(columns, func(c Column) bool { return !c.Defences }) {
		add("Defences", func(c Column) string { return map[bool]string{true: "on", false: "off"}[c.Defences] })
	}
	add("Right", func(c Column) string { return c.Score.String() })
	table = append(table, blank)
	for i, kind := range columns[0].Kinds {
		add(sanitize.CutEnd(sanitize.Line(kind.Title), widestTitle), func(c Column) string { return c.Kinds[i].String() })
	}
	table = append(table, blank)
	add("Reads, tokens/s", func(c Column) string { return c.Read.perSecond() })
	add("Writes, tokens/s", func(c Column) string { return c.Written.perSecond() })
	add("Loads in", func(c Column) string { return brief(c.LoadMS) })
	add("Answers in", func(c Column) string { return brief(c.AnswerMS) })
	add("Context that fits", func(c Column) string {
		if c.Context == 0 {
			return ""
		}
		return quantity.Size(c.Context)
	})
	acted := slices.DeleteFunc(slices.Clone(deeds), func(d deed) bool {
		return !slices.ContainsFunc(columns, func(c Column) bool { return c.Acted[d.defence] > 0 })
	})
	if len(acted) > 0 {
		table = append(table, blank, append([]string{"Repaired:"}, blank[1:]...))
	}
	for _, d := range acted {
		add("  "+d.words, func(c Column) string {
			if !c.Defences {
				return ""
			}
			return fmt.Sprint(c.Acted[d.defence])
		})
	}
	return table
}

func brief(ms int64) string {
	took := time.Duration(ms) * time.Millisecond
	if took < provider.ShortestLoad {
		return ""
	}
	return quantity.Brief(took)
}

func (s Speed) perSecond() string {
	if s.MS == 0 {
		return ""
	}
	return quantity.PerSecond(s.Tokens, time.Duration(s.MS)*time.Millisecond)
}

// The room for the name of a model and for the title of a kind, in cells.
const (
	widestName  = 18
	widestTitle = 30
)

// Table draws the table in a width. Models that have no room beside the others follow below.
func Table(columns []Column, width int) string {
	all := rows(columns)
	var first, other int
	for _, row := range all {
		first = max(first, ansi.StringWidthWc(row[0]))
		for _, cell := range row[1:] {
			other = max(other, ansi.StringWidthWc(cell)+2)
		}
	}
	var b strings.Builder
	pad := func(text string, room int) string { return strings.Repeat(" ", room-ansi.StringWidthWc(text)) }
	beside := max(1, (width-first)/other)
	for at := 1; at <= len(columns); at += beside {
		if at > 1 {
			b.WriteByte('\n')
		}
		for _, row := range all {
			line := []string{row[0], pad(row[0], first)}
			for _, cell := range row[at:min(at+beside, len(row))] {
				line = append(line, pad(cell, other), cell)
			}
			b.WriteString(strings.TrimRight(strings.Join(line, ""), " ") + "\n")
		}
	}
	return b.String()
}

// Markdown returns the table in Markdown.
func Markdown(columns []Column) string {
	var b strings.Builder
	for i, row := range rows(columns) {
		if line := strings.Join(row, "\x00"); strings.Trim(line, "\x00") != "" {
			line = strings.NewReplacer("|", `\|`, "<", "&lt;", "\x00", " | ").Replace(line)
			b.WriteString("| " + strings.TrimSpace(line) + " |\n")
		}
		if i == 0 {
			b.WriteString("|---|" + strings.Repeat("--:|", len(columns)) + "\n")
		}
	}
	return b.String()
}
