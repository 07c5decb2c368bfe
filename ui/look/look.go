// Package look has what all parts of the screen use: styles, how the terminal measures text, what is folded, and
// helpers that draw and shorten rows.
package look

import (
	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/colorprofile"
	"github.com/charmbracelet/x/ansi"

	"github.com/aloudchat/aloud/internal/theme"
)

// Look has everything that rows depend on except their text and width. Rows drawn for an equal Look are valid.
type Look struct {
	*Styles
	Method     ansi.Method  // how the terminal measures text
	Dark       bool         // the terminal has a dark background
	Theme      *theme.Theme // must not be changed; nil for the one that suits Dark
	Mono       bool         // the terminal shows no colours
	Links      bool         // the terminal is known to open links
	Details    bool         // thinking, tool calls and long messages are unfolded
	DetailsKey string       // unfolds them; "" for no key
	Whole      bool         // results are shown in full
	Printed    bool         // rows are printed, and nothing that is missing will be drawn later
}

// New returns the look before the terminal has reported anything. The theme may be nil.
func New(t *theme.Theme) Look {
	l := Look{Dark: true, Theme: t, Method: ansi.WcWidth}
	l.paint()
	return l
}

// UseTheme changes the colours of the screen. Now returns the theme when the message is handled, because a later
// message may arrive first; nil for the one that suits the terminal.
type UseTheme struct{ Now func() *theme.Theme }

// Follow handles the terminal's reports and UseTheme, and reports whether the look has changed.
func (l *Look) Follow(msg tea.Msg) (changed bool) {
	before := *l
	switch msg := msg.(type) {
	case tea.BackgroundColorMsg:
		l.Dark = msg.IsDark()
	case tea.ColorProfileMsg:
		l.Mono = msg.Profile <= colorprofile.ASCII
	case UseTheme:
		l.Theme = msg.Now()
	case tea.EnvMsg:
		l.Links = knowsLinks(msg.Getenv)
	case tea.ModeReportMsg:
		v := msg.Value
		if msg.Mode == ansi.ModeUnicodeCore && (v.IsSet() || v.IsReset() || v.IsPermanentlySet()) {
			l.Method = ansi.GraphemeWidth // the terminal measures joined characters as one
		}
	}
	if *l == before {
		return false
	}
	l.paint()
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
