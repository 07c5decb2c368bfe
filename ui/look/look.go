// Package look has what all parts of the screen use: styles, how the terminal measures text, what is folded, and
// helpers that draw and shorten rows.
package look

import (
	tea "charm.land/bubbletea/v2"
	"charm.land/lipgloss/v2"
	"github.com/charmbracelet/colorprofile"
	"github.com/charmbracelet/x/ansi"
)

// Look has everything that rows depend on except their text and width. Rows drawn for an equal Look are valid.
type Look struct {
	*Styles
	Method   ansi.Method // how the terminal measures text
	Dark     bool
	Mono     bool // the terminal shows no colours
	Thinking bool // thinking is unfolded
	Details  bool // tool calls are unfolded
	Whole    bool // results are shown in full
}

// New returns the look before the terminal has reported anything.
func New() Look { return Look{Styles: NewStyles(true), Dark: true, Method: ansi.WcWidth} }

// Follow handles the terminal's reports, and reports whether the look has changed.
func (l *Look) Follow(msg tea.Msg) (changed bool) {
	before := *l
	switch msg := msg.(type) {
	case tea.BackgroundColorMsg:
		l.Dark = msg.IsDark()
	case tea.ColorProfileMsg:
		l.Mono = msg.Profile <= colorprofile.ASCII
	case tea.ModeReportMsg:
		v := msg.Value
		if msg.Mode == ansi.ModeUnicodeCore && (v.IsSet() || v.IsReset() || v.IsPermanentlySet()) {
			l.Method = ansi.GraphemeWidth // the terminal measures joined characters as one
		}
	}
	if *l == before {
		return false
	}
	if l.Styles = NewStyles(l.Dark); l.Mono {
		l.Styles = MonoStyles()
	}
	return true
}

// Memo caches a drawing until its source changes.
type Memo[From comparable, Drawn any] struct {
	from  From
	drawn Drawn
	kept  bool
}

// Of returns the cached drawing, or draws if from has changed.
func (m *Memo[From, Drawn]) Of(from From, draw func() Drawn) Drawn {
	if !m.kept || m.from != from {
		m.from, m.drawn, m.kept = from, draw(), true
	}
	return m.drawn
}

// Styles are the colours of the screen, made once for a dark or a light background. Plain text keeps the terminal's own
// colour, so that only text with a meaning is coloured. The greys are nearly neutral: a terminal with 256 colours has
// no others.
type Styles struct {
	Text    lipgloss.Style // ordinary text
	Strong  lipgloss.Style // the important word in a line
	Dim     lipgloss.Style // thinking, receipts, hints
	Faint   lipgloss.Style // rules, borders, missing values
	Accent  lipgloss.Style // active or chosen text
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

// MonoStyles makes the styles without colours, for NO_COLOR and terminals that have none.
func MonoStyles() *Styles {
	plain := lipgloss.NewStyle()
	bold, faint := plain.Bold(true), plain.Faint(true)
	return &Styles{
		Text: plain, Strong: bold, Dim: faint, Faint: faint, Accent: bold, User: bold, OK: plain, Warn: bold, Err: bold,
		Heading: bold, Key: bold, Chosen: bold,
	}
}
