package look

import (
	"strings"

	"charm.land/lipgloss/v2"

	"github.com/aloudchat/aloud/ui/markdown"
)

// Clip shortens a row to width cells, with "…" where something is missing.
func (l *Look) Clip(row string, width int) string {
	return markdown.Clip(row, width, "…", l.Method)
}

// Middle shortens a text without colours to width cells by leaving out its middle: both ends of an address tell where it leads.
func (l *Look) Middle(text string, width int) string {
	if l.Method.StringWidth(text) <= width {
		return text
	}
	return l.Clip(CutMiddle(text, width), width)
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

// Paint puts rows into a style, all at once: a style is much slower than what it writes.
func Paint(rows []string, style lipgloss.Style) {
	on, off, _ := strings.Cut(style.Render("x"), "x")
	for i, row := range rows {
		if row != "" {
			rows[i] = on + row + off
		}
	}
}

// Reading is how wide prose is drawn where there are width cells.
func Reading(width int) int { return max(1, min(width, markdown.Reading)) }

// Roomy is from which width on a row has room for what is good to know, too.
const Roomy = 60
