package ui

import (
	"charm.land/bubbles/v2/key"
	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/colorprofile"
	"github.com/charmbracelet/x/ansi"
)

// look is what the rows of an entry depend on, besides its text and the width.
type look struct {
	styles   *styles
	method   ansi.Method // how the terminal measures text
	dark     bool
	mono     bool // the terminal shows no colours
	thinking bool // thoughts are unfolded
	details  bool // tool calls are unfolded
	whole    bool // and nothing of their results is left out
}

// follow takes what a terminal tells of itself, and tells whether things look otherwise since.
func (l *look) follow(msg tea.Msg) (changed bool) {
	before := *l
	switch msg := msg.(type) {
	case tea.BackgroundColorMsg:
		l.dark = msg.IsDark()
	case tea.ColorProfileMsg:
		l.mono = msg.Profile <= colorprofile.ASCII
	case tea.ModeReportMsg:
		if joins(msg) {
			l.method = ansi.GraphemeWidth
		}
	}
	return *l != before
}

// key takes the keys that fold and unfold.
func (l *look) key(k tea.KeyPressMsg, keys keyMap) (known bool) {
	switch {
	case key.Matches(k, keys.details):
		l.details = !l.details
	case key.Matches(k, keys.thinking):
		l.thinking = !l.thinking
	default:
		return false
	}
	return true
}

// restyle makes the styles anew.
func (l *look) restyle() {
	if l.styles = newStyles(l.dark); l.mono {
		l.styles = monoStyles()
	}
}

// joins tells whether a terminal's report says that it draws joined characters as one, and so measures them.
func joins(report tea.ModeReportMsg) bool {
	v := report.Value
	return report.Mode == ansi.ModeUnicodeCore && (v.IsSet() || v.IsReset() || v.IsPermanentlySet())
}
