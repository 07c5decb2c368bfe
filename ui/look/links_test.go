package look_test

import (
	"testing"

	tea "charm.land/bubbletea/v2"

	"github.com/aloudchat/aloud/ui/look"
)

func TestLinksAreKnownByTheEnvironment(t *testing.T) {
	for _, c := range []struct {
		env  tea.EnvMsg
		want bool
	}{
		{tea.EnvMsg{"TERM=xterm-kitty"}, true},
		{tea.EnvMsg{"TERM=foot-extra"}, true},
		{tea.EnvMsg{"TERM=xterm-256color", "TERM_PROGRAM=iTerm.app"}, true},
		{tea.EnvMsg{"TERM=xterm-256color", "VTE_VERSION=7600"}, true},
		{tea.EnvMsg{"TERM=xterm-256color", "WT_SESSION=1"}, true},
		{tea.EnvMsg{"TERM=xterm-256color", "VTE_VERSION=5000"}, false},
		{tea.EnvMsg{"TERM=xterm-256color", "VTE_VERSION=7600", "TERM_PROGRAM=Apple_Terminal"}, false},
		{tea.EnvMsg{"TERM=xterm-kitty", "TMUX=/a,1,2"}, false},
		{tea.EnvMsg{"TERM=screen", "TERM_PROGRAM=tmux", "VTE_VERSION=7600"}, false},
		{tea.EnvMsg{"TERM=linux", "VTE_VERSION=7600"}, false},
		{tea.EnvMsg{"TERM=xterm-256color"}, false},
		{nil, false},
	} {
		l := look.New(nil)
		if changed := l.Follow(c.env); l.Links != c.want || changed != c.want {
			t.Errorf("%q: links are known: %v (changed %v), want %v", c.env, l.Links, changed, c.want)
		}
	}
}
