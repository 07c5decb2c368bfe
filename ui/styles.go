package ui

import "charm.land/lipgloss/v2"

// styles are the colours of the screen, made once for a dark or a light background. Plain text keeps the terminal's own colour,
// so that only what carries a meaning is coloured. The greys are nearly neutral: a terminal with 256 colours has no others.
type styles struct {
	text    lipgloss.Style // what is read
	strong  lipgloss.Style // the word that matters in a line
	dim     lipgloss.Style // what explains: thinking, receipts, hints
	faint   lipgloss.Style // what only separates: rules, borders, empty places
	accent  lipgloss.Style // what is alive or chosen
	user    lipgloss.Style // what the person said
	ok      lipgloss.Style
	warn    lipgloss.Style
	err     lipgloss.Style
	code    lipgloss.Style // inline code and names of things
	heading lipgloss.Style
	link    lipgloss.Style
	key     lipgloss.Style // a key to press
	chosen  lipgloss.Style // the row under the cursor of a list
}

// newStyles makes the styles for a dark or a light background.
func newStyles(dark bool) *styles {
	pick := lipgloss.LightDark(dark)
	of := func(light, dark string) lipgloss.Style {
		return lipgloss.NewStyle().Foreground(pick(lipgloss.Color(light), lipgloss.Color(dark)))
	}
	plain := lipgloss.NewStyle()
	accent := of("#0b6e75", "#7fd1d8")
	return &styles{
		text:    plain,
		strong:  plain.Bold(true),
		dim:     of("#6b6e70", "#8e9297"),
		faint:   of("#b4b8be", "#50555e"),
		accent:  accent,
		user:    of("#1f4fa3", "#8fb8f5").Bold(true),
		ok:      of("#2c7a3f", "#8cc98f"),
		warn:    of("#8a5a00", "#e6c85c"),
		err:     of("#b3261e", "#ee8580"),
		code:    of("#8a4b2d", "#dcc98f"),
		heading: accent.Bold(true),
		link:    of("#1f4fa3", "#8fb8f5").Underline(true),
		key:     plain.Bold(true),
		chosen:  accent.Bold(true),
	}
}

// monoStyles are those for a terminal without colours, or one where none are wanted (NO_COLOR): bold, faint and underlines tell things apart.
func monoStyles() *styles {
	plain := lipgloss.NewStyle()
	bold, faint := plain.Bold(true), plain.Faint(true)
	return &styles{
		text: plain, strong: bold, dim: faint, faint: faint, accent: bold, user: bold, ok: plain, warn: bold, err: bold,
		code: plain, heading: bold, link: plain.Underline(true), key: bold, chosen: bold,
	}
}
