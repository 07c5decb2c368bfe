// Package look is how the rows of the screen look, for all parts of it alike: the styles, how the terminal measures text, what is folded, how
// rows and numbers are shortened, and how what is drawn is kept. It knows nothing of what the rows say.
package look

import (
	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/colorprofile"
	"github.com/charmbracelet/x/ansi"
)

// Look is what rows depend on, besides their text and the width. It is compared to tell whether rows that are kept are still right.
type Look struct {
	*Styles
	Method   ansi.Method // how the terminal measures text
	Dark     bool
	Mono     bool // the terminal shows no colours
	Thinking bool // thoughts are unfolded
	Details  bool // tool calls are unfolded
	Whole    bool // and nothing of their results is left out
}

// New is the look until a terminal has told of itself.
func New() Look { return Look{Styles: NewStyles(true), Dark: true, Method: ansi.WcWidth} }

// Follow takes what a terminal reports of itself, and reports whether things look different now.
func (l *Look) Follow(msg tea.Msg) (changed bool) {
	before := *l
	switch msg := msg.(type) {
	case tea.BackgroundColorMsg:
		l.Dark = msg.IsDark()
	case tea.ColorProfileMsg:
		l.Mono = msg.Profile <= colorprofile.ASCII
	case tea.ModeReportMsg:
		if joins(msg) {
			l.Method = ansi.GraphemeWidth
		}
	}
	if *l == before {
		return false
	}
	l.restyle()
	return true
}

// restyle makes the styles.
func (l *Look) restyle() {
	if l.Styles = NewStyles(l.Dark); l.Mono {
		l.Styles = MonoStyles()
	}
}

// joins reports whether a terminal says that it draws joined characters as one, and so measures them.
func joins(report tea.ModeReportMsg) bool {
	v := report.Value
	return report.Mode == ansi.ModeUnicodeCore && (v.IsSet() || v.IsReset() || v.IsPermanentlySet())
}
