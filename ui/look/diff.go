package look

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/aloudchat/aloud/internal/sanitize"
	"github.com/aloudchat/aloud/ui/markdown"
)

// DiffTitle describes a unified diff of one file with so many changed lines: "todo.md · +2 −1".
func (l *Look) DiffTitle(diff string, added, removed int) string {
	header, _, _ := strings.Cut(diff, "\n@@ ")
	before, after, _ := strings.Cut(header, "\n")
	words := []string{l.Strong.Render(sanitize.Visible(strings.TrimPrefix(after, "+++ ")))}
	if before == "--- /dev/null" {
		words = append(words, l.Dim.Render("new file"))
	}
	counts := l.signed(l.OK, fmt.Sprintf("+%d", added)) + " " + l.signed(l.Err, fmt.Sprintf("−%d", removed))
	return strings.Join(append(words, counts), l.Faint.Render(" · "))
}

// Diff draws the hunks of a unified diff of one file, with line numbers: that of the new file, for a removed line that
// of the old one. Each row fills the width.
func (l *Look) Diff(diff string, width int) []string {
	_, hunks, _ := strings.Cut(diff, "\n@@ ")
	d := differ{look: l, width: width, gutter: len(strconv.Itoa(lastLine("@@ "+hunks))) + 1}
	for line := range strings.Lines("@@ " + hunks) {
		d.add(strings.TrimSuffix(line, "\n"))
	}
	return d.rows
}

// differ draws a diff line by line.
type differ struct {
	look          *Look
	width, gutter int
	before, after int // numbers of the next lines
	rows          []string
}

func (d *differ) add(line string) {
	l := d.look
	if line == "" {
		line = " " // some programs cut the space of an empty line
	}
	sign, text := line[:1], line[1:]
	switch sign {
	case "@":
		d.before, d.after = hunkStart(line)
		if len(d.rows) > 0 || d.after > 1 {
			header := fmt.Sprintf("%s⋯ line %d", strings.Repeat(" ", d.gutter-1), d.after)
			d.rows = append(d.rows, l.Dim.Render(l.Clip(header, d.width)))
		}
	case "+":
		d.draw(d.after, l.signed(l.OK, "+"), text, &l.Added)
		d.after++
	case "-":
		d.draw(d.before, l.signed(l.Err, "-"), text, &l.Removed)
		d.before++
	case `\`: // a note about the line before it
		d.rows = append(d.rows, l.Dim.Render(l.Clip(strings.Repeat(" ", d.gutter+3)+sanitize.Visible(line), d.width)))
	default:
		d.draw(d.after, " ", text, nil)
		d.before++
		d.after++
	}
}

// signed draws a sign or a signed number. Without colours, both signs are equally strong.
func (l *Look) signed(style Style, sign string) string {
	if l.Mono {
		style = l.Strong
	}
	return style.Render(sign)
}

// draw draws a line after its number and sign. A long line goes on below its text.
func (d *differ) draw(number int, sign, text string, background *Style) {
	l := d.look
	head := l.Dim.Render(fmt.Sprintf("%*d", d.gutter, number)) + " " + sign + " "
	indent := d.gutter + 3
	if d.width < indent+4 { // no room for numbers
		head, indent = sign, 1
	}
	for _, row := range markdown.Chop(sanitize.Visible(text), d.width-indent, l.Method) {
		row = l.Clip(head+row, d.width)
		if background != nil {
			row = background.Fill(row, d.width, l.Method)
		}
		d.rows = append(d.rows, row)
		head = strings.Repeat(" ", indent)
	}
}

// hunkStart returns the numbers of the first lines of a hunk: 1 and 4 of "@@ -1,5 +4,6 @@".
func hunkStart(header string) (before, after int) {
	_, _ = fmt.Sscanf(header, "@@ -%d", &before) // 0 if it is not a header
	if _, plus, ok := strings.Cut(header, " +"); ok {
		_, _ = fmt.Sscanf(plus, "%d", &after)
	}
	return before, after
}

// lastLine returns about the highest line number in hunks.
func lastLine(hunks string) int {
	last, lines := 1, 0
	for line := range strings.Lines(hunks) {
		if strings.HasPrefix(line, "@@ ") {
			before, after := hunkStart(line)
			last, lines = max(last, before, after), 0
		}
		lines++
	}
	return last + lines
}
