package look

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/aloudchat/aloud/internal/sanitize"
	"github.com/aloudchat/aloud/ui/markdown"
)

// Scrolls is shown before the range of visible rows in a title where the arrow keys scroll.
const Scrolls = "↑↓ "

// Title heads a dialog: the title in a rule, and the range of visible rows, if not all are. The range is never left
// out, because you approve the hidden rows, too.
func (l *Look) Title(title, where string, width int) string {
	title = sanitize.Line(title)
	room := width - 6 // inside the rule
	if where != "" {
		if l.Method.StringWidth(title+" "+where) > room {
			title, where = strings.TrimPrefix(title, "Server "), strings.TrimPrefix(where, Scrolls)
		}
		title = l.Middle(title, max(1, room-l.Method.StringWidth(where)-1)) + " " + where
	}
	title = l.Clip(title, max(1, room))
	rest := max(0, width-l.Method.StringWidth(title)-4)
	return l.Faint.Render("──") + " " + l.Heading.Render(title) + " " + l.Faint.Render(strings.Repeat("─", rest))
}

// Hint is one dim row below a dialog.
func (l *Look) Hint(hint string, width int) string {
	return "  " + l.Dim.Render(l.Clip(hint, max(1, width-2)))
}

// WithHint ends a dialog with a hint, set apart if there is room.
func (l *Look) WithHint(rows []string, hint string, width, height int) []string {
	if len(rows)+2 <= height {
		rows = append(rows, "")
	}
	rows = append(rows, l.Hint(hint, width))
	return rows[:min(len(rows), height)]
}

// Prose adds a text to the rows of a dialog, sanitised and wrapped to a readable width.
func (l *Look) Prose(out []string, text string, width int, style func(...string) string) []string {
	return l.Indent(out, sanitize.Text(text), "  ", width-4, style)
}

// Indent adds a text, wrapped to a readable width of at most room, after an indent.
func (l *Look) Indent(out []string, text, indent string, room int, style func(...string) string) []string {
	if text == "" {
		return out
	}
	for _, line := range markdown.Wrap(text, Reading(max(8, room)), l.Method) {
		out = append(out, indent+style(line))
	}
	return out
}

// Keys draws answers such as "y once" with the key highlighted.
func (l *Look) Keys(answers ...string) []string {
	for i, a := range answers {
		key, what, _ := strings.Cut(a, " ")
		answers[i] = l.Accent.Bold(true).Render(key) + " " + what
	}
	return answers
}

// Packed joins words with dots, on as many rows as necessary. It wraps a word that is wider than a row.
func (l *Look) Packed(words []string, width int) []string {
	const indent = "  "
	room := max(6, width-1-len(indent))
	dot := l.Faint.Render(" · ")
	var out []string
	for _, w := range words {
		last := len(out) - 1
		if last >= 0 && l.Method.StringWidth(out[last]+dot+w) <= room {
			out[last] += dot + w
			continue
		}
		out = append(out, markdown.Chop(w, room, l.Method)...)
	}
	for i := range out {
		out[i] = indent + out[i]
	}
	return out
}

// Columns draws pairs as two columns; on a narrow screen the second goes below the first. A pair without a second is a
// heading.
func (l *Look) Columns(pairs [][2]string, width int) []string {
	wide := 0
	for _, p := range pairs {
		if p[1] != "" {
			wide = max(wide, l.Method.StringWidth(p[0]))
		}
	}
	const most = 20 // longer names wrap
	wide = min(wide, most, max(1, width/3))
	room := width - wide - 5
	var out []string
	for _, p := range pairs {
		switch {
		case p[1] == "":
			out = append(out, "", "  "+l.Heading.Render(p[0]))
		case room >= 20:
			first, second := markdown.Wrap(p[0], wide, l.Method), markdown.Wrap(p[1], room, l.Method)
			for len(first) < len(second) {
				first = append(first, "")
			}
			for i, name := range first {
				row := "  " + l.Key.Render(name)
				if i < len(second) {
					row += strings.Repeat(" ", wide-l.Method.StringWidth(name)+2) + l.Dim.Render(second[i])
				}
				out = append(out, row)
			}
		default:
			out = append(out, "  "+l.Key.Render(l.Clip(p[0], max(1, width-2))))
			out = l.Indent(out, p[1], "    ", width-5, l.Dim.Render)
		}
	}
	return out
}

// Dotted joins the words that are not empty with dots.
func Dotted(words ...string) string {
	some := slices.DeleteFunc(slices.Clone(words), func(w string) bool { return w == "" })
	return strings.Join(some, " · ")
}

// Short returns a name on one line of at most 40 cells.
func Short(name string) string { return sanitize.CutMiddle(sanitize.Line(name), 40) }

// JSON indents arguments. Invisible characters are shown as escapes, so that nothing is hidden.
func JSON(arguments json.RawMessage) string {
	if len(bytes.TrimSpace(arguments)) == 0 {
		return "{}"
	}
	text, _ := Indented(sanitize.JSON(arguments))
	if text == "" { // not JSON: shown quoted
		return fmt.Sprintf("%q", arguments)
	}
	return visible(text)
}

// visible shows the invisible characters of a text as escapes, except line ends.
func visible(text string) string {
	lines := strings.Split(text, "\n")
	for i := range lines {
		lines[i] = sanitize.Visible(lines[i])
	}
	return strings.Join(lines, "\n")
}

// Clip truncates a row to width cells, with "…" if it removes anything.
func (l *Look) Clip(row string, width int) string {
	return markdown.Clip(row, width, "…", l.Method)
}

// Middle shortens a text without colours to width cells by removing its middle, which suits addresses.
func (l *Look) Middle(text string, width int) string {
	return l.Clip(sanitize.CutMiddle(text, width), width)
}

// Longest returns the first of some texts, from long to short, that fits.
func (l *Look) Longest(width int, forms ...string) string {
	for _, form := range forms {
		if l.Method.StringWidth(form) <= width {
			return form
		}
	}
	return forms[len(forms)-1]
}

// Paint draws rows in a style.
func Paint(rows []string, style Style) {
	for i, row := range rows {
		rows[i] = style.Render(row)
	}
}

// Reading is the width of prose, if the screen is wide enough.
func Reading(width int) int { return max(1, min(width, markdown.Reading)) }

// Roomy is the minimum width for rows with optional details.
const Roomy = 60
