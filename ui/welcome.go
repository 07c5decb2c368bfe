package ui

import "github.com/aloudchat/aloud/ui/look"

// welcome is the screen before anything was said.
func welcome(version string, width, height int, st *look.Look) []string {
	name := st.Heading.Render("aloud")
	if version != "" {
		name += " " + st.Dim.Render(version)
	}
	rows := []string{
		name,
		st.Dim.Render("A chat that says what it is doing."),
		"",
		st.Dim.Render("Ask a question. ") + st.Key.Render("/") + st.Dim.Render(" lists the commands."),
	}
	if height < len(rows) || width < 24 {
		rows = rows[:1]
	}
	out := make([]string, max(0, height-len(rows)-1))
	for _, r := range rows {
		out = append(out, st.Clip("  "+r, max(1, width-1)))
	}
	return out
}
