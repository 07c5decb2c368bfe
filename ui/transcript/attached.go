package transcript

import (
	"strings"

	"github.com/aloudchat/aloud/mcpclient"
	"github.com/aloudchat/aloud/provider"
	"github.com/aloudchat/aloud/quantity"
	"github.com/aloudchat/aloud/sanitize"
	"github.com/aloudchat/aloud/ui/look"
)

// attachedRow is a resource that is attached to a question.
type attachedRow struct {
	provider.Attachment
	changed bool // since it was read
}

// MarkChanged marks attached resources that have changed, and returns the name of one that was not marked before.
func (t *Transcript) MarkChanged(changed []mcpclient.Resource) (name string) {
	for _, r := range changed {
		for _, e := range t.entries {
			u, ok := e.(*userEntry)
			if !ok {
				continue
			}
			for i := range u.attached {
				if a := &u.attached[i]; !a.changed && a.Server == r.Server && a.URI == r.URI {
					a.changed, name = true, a.Name()
					u.forget()
				}
			}
		}
	}
	return name
}

// attachedRows draws what is attached: a row for each, and its text if details are unfolded.
func (u *userEntry) attachedRows(width int, st *look.Look) (out []string) {
	for _, a := range u.attached {
		facts, style := []string{"", quantity.Count(a.Tokens()) + " tokens"}, st.Dim
		if a.Images > 0 {
			facts = append(facts, quantity.Plural(a.Images, "image"))
		}
		if a.Cut {
			facts = append(facts, "only parts")
		}
		if a.changed {
			style = st.Warn
			facts = append(facts, st.Longest(width-40, "changed since it was read", "changed"))
		}
		words := strings.Join(facts, separator)
		name := st.Middle(sanitize.Line(a.Name()), max(10, width-st.Method.StringWidth(words)))
		out = append(out, style.Render(name+words))
		if st.Details && a.Text != "" {
			out = append(out, excerpt(a.Text, lineCount(a.Text), width, st)...)
		}
	}
	return out
}
