package ui

import (
	"github.com/aloudchat/aloud/sanitize"
	"github.com/aloudchat/aloud/ui/markdown"
)

// prose adds a text to the rows of a dialog, wrapped to a width that is read well. The text may come from anywhere.
func prose(out []string, text string, width int, st *look, style func(...string) string) []string {
	if text == "" {
		return out
	}
	for _, line := range markdown.Wrap(sanitize.Text(text), reading(max(8, width-4)), st.method) {
		out = append(out, "  "+style(line))
	}
	return out
}
