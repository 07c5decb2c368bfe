package markdown

import (
	"io"
	"strings"
	"unicode/utf8"

	"charm.land/lipgloss/v2"
	"github.com/charmbracelet/x/ansi"

	"github.com/aloudchat/aloud/internal/sanitize"
)

// Wrap breaks text into rows of at most width cells, at spaces if possible, and replaces tabs with four spaces. Rows do
// not depend on each other: colours and links that continue after the end of a row are closed there and opened again in
// the next. A character wider than a row is dropped.
func Wrap(text string, width int, m ansi.Method) []string {
	return wrap(text, width, m, func(line string, width int) string { return m.Wrap(line, width, "") })
}

// Chop is Wrap for text whose spaces matter, such as code: it breaks rows only at their full width.
func Chop(text string, width int, m ansi.Method) []string {
	return wrap(text, width, m, func(line string, width int) string { return m.Hardwrap(line, width, true) })
}

func wrap(text string, width int, m ansi.Method, fold func(line string, width int) string) []string {
	width = max(1, width)
	rows := strings.Split(strings.ReplaceAll(text, "\t", "    "), "\n")
	folds := false
	for i, line := range rows {
		if !fits(line, width) {
			rows[i], folds = split(fold(line, width), width, m), true
		}
	}
	if !folds {
		return rows
	}
	text = strings.Join(rows, "\n")
	if strings.ContainsRune(text, '\x1b') {
		var b strings.Builder
		w := lipgloss.NewWrapWriter(&b)
		_, _ = io.WriteString(w, sanitize.HideSemicolons(text))
		_ = w.Close()
		text = strings.ReplaceAll(b.String(), "\a", "\x1b\\") // the ends of links, as sanitize.Output knows them
		text = sanitize.ShowSemicolons(text)
	}
	rows = strings.Split(text, "\n")
	for i, row := range rows {
		rows[i] = Clip(row, width, "", m)
	}
	return rows
}

// split breaks those of some rows that are too wide. There are some because the library breaks rows as if a digit with
// a mark, such as 1️⃣, had one cell, although terminals may give it two.
func split(rows string, width int, m ansi.Method) string {
	var b strings.Builder
	for row := range strings.Lines(rows) {
		if m.StringWidth(row) <= width {
			b.WriteString(row)
			continue
		}
		for state, used := byte(0), 0; row != ""; {
			seq, cells, next := decode(row, state, m)
			if used += cells; used > width && used > cells {
				b.WriteByte('\n')
				used = cells
			}
			b.WriteString(seq)
			row, state = row[len(seq):], next
		}
	}
	return b.String()
}

// decode returns the first character or sequence of a row, and its width as StringWidth measures it.
func decode(row string, state byte, m ansi.Method) (seq string, cells int, next byte) {
	seq, cells, n, next := m.DecodeSequenceInString(row, state, nil)
	if n == 1 && len(row) > 1 && row[1] >= utf8.RuneSelf {
		seq, cells = ansi.FirstGraphemeCluster(row, m)
	}
	return seq, cells, next
}

// Clip cuts a row at width cells and adds tail, such as "…", if it removes anything. Colours end where they did. The
// library's Truncate measures some characters differently from StringWidth.
func Clip(row string, width int, tail string, m ansi.Method) string {
	if fits(row, width) || m.StringWidth(row) <= width {
		return row
	}
	if m.StringWidth(tail) > width {
		tail = ""
	}
	room, full := width-m.StringWidth(tail), false
	var b strings.Builder
	for state := byte(0); len(row) > 0; {
		seq, cells, next := decode(row, state, m)
		room -= cells
		if room < 0 && !full {
			full = true
			b.WriteString(tail)
		}
		if !full || seq[0] == '\x1b' {
			b.WriteString(seq)
		}
		row, state = row[len(seq):], next
	}
	return b.String()
}

// fits reports quickly whether a line certainly fits: it is printable ASCII and short.
func fits(line string, width int) bool {
	if len(line) > width {
		return false
	}
	for i := range len(line) {
		if line[i] < 0x20 || line[i] > 0x7e {
			return false
		}
	}
	return true
}
