package ui

import (
	"fmt"
	"strings"

	"github.com/aloudchat/aloud/provider"
	"github.com/aloudchat/aloud/sanitize"
	"github.com/aloudchat/aloud/ui/look"
)

// diffRows draws a unified diff of one file: its name, how much comes and goes, and the lines around each change.
func diffRows(diff string, width int, st *look.Look) []string {
	header, hunks, _ := strings.Cut(diff, "\n@@ ")
	before, after, _ := strings.Cut(header, "\n")
	name := sanitize.Visible(strings.TrimPrefix(after, "+++ "))
	added, removed := provider.DiffCounts(diff)
	about := []string{st.Strong.Render(name)}
	if before == "--- /dev/null" {
		about = append(about, st.Dim.Render("a new file"))
	}
	about = append(about, st.OK.Render(fmt.Sprintf("+%d", added))+" "+st.Err.Render(fmt.Sprintf("-%d", removed)))
	out := packed(about, width, st)
	room := max(4, width-5)
	for line := range strings.Lines("@@ " + hunks) {
		line = strings.TrimSuffix(line, "\n")
		style := st.Text
		switch {
		case strings.HasPrefix(line, "@@ "):
			style = st.Dim
		case strings.HasPrefix(line, `\`): // about the line before: it has no end
			style = st.Dim
		case strings.HasPrefix(line, "+"):
			style = st.OK
		case strings.HasPrefix(line, "-"):
			style = st.Err
		}
		for row := range strings.SplitSeq(st.Method.Hardwrap(sanitize.Visible(line), room, true), "\n") {
			out = append(out, "    "+style.Render(row))
		}
	}
	return out
}
