package transcript

import (
	"strings"

	"github.com/aloudchat/aloud/mcpclient"
	"github.com/aloudchat/aloud/provider"
	"github.com/aloudchat/aloud/quantity"
	"github.com/aloudchat/aloud/sanitize"
	"github.com/aloudchat/aloud/ui/look"
	"github.com/aloudchat/aloud/ui/markdown"
)

// attachedRow is a resource that stands beside a question.
type attachedRow struct {
	provider.Attachment
	changed bool // since it was read
}

// shownAttached is how many lines of an attached text are unfolded; the pager has all.
const shownAttached = 200

// mark marks what has changed of what is attached, and returns the name of one that was not marked before.
func (u *userEntry) mark(changed []mcpclient.Resource) (name string) {
	for i := range u.attached {
		a := &u.attached[i]
		for _, r := range changed {
			if !a.changed && a.Server == r.Server && a.URI == r.URI {
				a.changed, name = true, a.Name()
				u.forget()
			}
		}
	}
	return name
}

// MarkChanged marks what has changed of what is attached to questions, and returns the name of one that was not marked before.
func (t *Transcript) MarkChanged(changed []mcpclient.Resource) (name string) {
	if len(changed) == 0 {
		return ""
	}
	for _, e := range t.entries {
		if u, ok := e.(*userEntry); ok {
			if marked := u.mark(changed); marked != "" {
				name = marked
				t.changed()
			}
		}
	}
	return name
}

// attachedRows draws what is attached: a row for each, and below it the text where details are unfolded.
func (u *userEntry) attachedRows(width int, st *look.Look) (out []string) {
	for _, a := range u.attached {
		words := []string{quantity.Count(a.Tokens()) + " tokens"}
		changed := "changed since it was read"
		if width < look.Roomy {
			changed = "changed"
		}
		if a.Images > 0 {
			words = append(words, quantity.Plural(a.Images, "image"))
		}
		if a.Cut {
			words = append(words, "only parts")
		}
		if a.changed {
			words = append(words, changed)
		}
		facts := " · " + strings.Join(words, " · ")
		name := st.Middle(sanitize.Line(a.Name()), max(10, width-st.Method.StringWidth(facts)))
		row := st.Dim.Render(name + facts)
		if a.changed {
			row = st.Warn.Render(name + facts)
		}
		out = append(out, row)
		if st.Details && a.Text != "" {
			out = append(out, a.unfolded(width, st)...)
		}
	}
	return out
}

func (a attachedRow) unfolded(width int, st *look.Look) (out []string) {
	text, more := sanitize.Text(strings.TrimRight(a.Text, "\n")), 0
	if end := nthLine(text, shownAttached); end >= 0 && !st.Whole {
		more = strings.Count(text[end:], "\n")
		text = text[:end]
	}
	for line := range strings.SplitSeq(text, "\n") {
		for _, row := range markdown.Wrap(line, max(1, width-2), st.Method) {
			out = append(out, "  "+row)
		}
	}
	look.Paint(out, st.Dim)
	if more > 0 {
		out = append(out, st.Dim.Render("  … "+look.Thousands(more)+" more lines (ctrl+o)"))
	}
	return out
}
