package look

import "charm.land/lipgloss/v2"

// Styles are the colours of the screen, made once for a dark or a light background. Plain text keeps the terminal's own colour,
// so that only what carries a meaning is coloured. The greys are nearly neutral: a terminal with 256 colours has no others.
type Styles struct {
	Text    lipgloss.Style // what is read
	Strong  lipgloss.Style // the word that matters in a line
	Dim     lipgloss.Style // what explains: thinking, receipts, hints
	Faint   lipgloss.Style // what only separates: rules, borders, empty places
	Accent  lipgloss.Style // what is alive or chosen
	User    lipgloss.Style // what you said
	OK      lipgloss.Style
	Warn    lipgloss.Style
	Err     lipgloss.Style
	Heading lipgloss.Style
	Key     lipgloss.Style // a key to press
	Chosen  lipgloss.Style // the row under the cursor of a list
}

// NewStyles makes the styles for a dark or a light background.
func NewStyles(dark bool) *Styles {
	pick := lipgloss.LightDark(dark)
	of := func(light, dark string) lipgloss.Style {
		return lipgloss.NewStyle().Foreground(pick(lipgloss.Color(light), lipgloss.Color(dark)))
	}
	plain := lipgloss.NewStyle()
	accent := of("#0b6e75", "#7fd1d8")
	return &Styles{
		Text:    plain,
		Strong:  plain.Bold(true),
		Dim:     of("#6b6e70", "#8e9297"),
		Faint:   of("#b4b8be", "#50555e"),
		Accent:  accent,
		User:    of("#1f4fa3", "#8fb8f5").Bold(true),
		OK:      of("#2c7a3f", "#8cc98f"),
		Warn:    of("#8a5a00", "#e6c85c"),
		Err:     of("#b3261e", "#ee8580"),
		Heading: accent.Bold(true),
		Key:     plain.Bold(true),
		Chosen:  accent.Bold(true),
	}
}

// MonoStyles makes those for a terminal without colours, or one where none are wanted (NO_COLOR): bold and faint tell things apart.
func MonoStyles() *Styles {
	plain := lipgloss.NewStyle()
	bold, faint := plain.Bold(true), plain.Faint(true)
	return &Styles{
		Text: plain, Strong: bold, Dim: faint, Faint: faint, Accent: bold, User: bold, OK: plain, Warn: bold, Err: bold,
		Heading: bold, Key: bold, Chosen: bold,
	}
}
