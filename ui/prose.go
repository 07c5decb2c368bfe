package ui

import (
	"github.com/aloudchat/aloud/sanitize"
	"github.com/aloudchat/aloud/ui/look"
	"github.com/aloudchat/aloud/ui/markdown"
)

// prose adds a text to the rows of a dialog, wrapped to a width that is read well. The text may come from anywhere.
func prose(out []string, text string, width int, st *look.Look, style func(...string) string) []string {
	if text == "" {
		return out
	}
	for _, line := range markdown.Wrap(sanitize.Text(text), look.Reading(max(8, width-4)), st.Method) {
		out = append(out, "  "+style(line))
	}
	return out
}
