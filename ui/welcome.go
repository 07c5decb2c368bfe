package ui

// welcome is the screen before anything was said.
func welcome(version string, width, height int, st *look) []string {
	name := st.styles.heading.Render("aloud")
	if version != "" {
		name += " " + st.styles.dim.Render(version)
	}
	rows := []string{
		name,
		st.styles.dim.Render("A chat that says what it is doing."),
		"",
		st.styles.dim.Render("Ask a question. ") + st.styles.key.Render("/") + st.styles.dim.Render(" lists the commands."),
	}
	if height < len(rows) || width < 24 {
		rows = rows[:1]
	}
	out := make([]string, max(0, height-len(rows)-1))
	for _, r := range rows {
		out = append(out, clip("  "+r, max(1, width-1), st))
	}
	return out
}
