package transcript

import (
	"strings"

	"github.com/aloudchat/aloud/internal/quantity"
	"github.com/aloudchat/aloud/internal/sanitize"
	"github.com/aloudchat/aloud/ui/look"
)

// attachedRows draws the attachments: a row for each, and its text if details are unfolded.
func (u *userEntry) attachedRows(width int, st *look.Look) (out []string) {
	for _, a := range u.attached {
		facts := []string{"", "about " + quantity.Count(a.Tokens()) + " tok"}
		if a.Images > 0 {
			facts = append(facts, quantity.Plural(a.Images, "image"))
		}
		if a.Cut {
			facts = append(facts, "truncated")
		}
		words := strings.Join(facts, separator)
		name := st.Middle(sanitize.Line(a.Name()), max(10, width-st.Method.StringWidth(words)))
		out = append(out, st.Dim.Render(name+words))
		if st.Details && a.Text != "" {
			out = append(out, excerpt(a.Text, lineCount(a.Text), width, st)...)
		}
	}
	return out
}
