package screen

import (
	"errors"
	"testing"
)

func TestTextsForTheDesktop(t *testing.T) {
	wrote := ""
	write := func(text string) error { wrote += text; return nil }
	fails := func(string) error { return errors.New("no clipboard") }
	none := func(string) string { return "" }
	wsl := func(name string) string { return map[string]string{"WSL_DISTRO_NAME": "Ubuntu"}[name] }
	if !toDesktop("Grüße", none, write) || toDesktop("Grüße", none, fails) || toDesktop("Grüße", wsl, write) || wrote != "Grüße" {
		t.Errorf("the desktop has %q", wrote)
	}
}

func TestShowsProgress(t *testing.T) {
	for name, c := range map[string]struct {
		env  map[string]string
		want bool
	}{
		"nothing known":            {nil, false},
		"iTerm2":                   {map[string]string{"TERM_PROGRAM": "iTerm.app"}, false},
		"kitty":                    {map[string]string{"TERM": "xterm-kitty"}, false},
		"Windows Terminal":         {map[string]string{"WT_SESSION": "1b0e"}, true},
		"ConEmu":                   {map[string]string{"ConEmuANSI": "ON"}, true},
		"ConEmu without sequences": {map[string]string{"ConEmuANSI": "OFF"}, false},
		"Ghostty":                  {map[string]string{"TERM": "xterm-ghostty", "TERM_PROGRAM": "ghostty"}, true},
		"Ghostty over ssh":         {map[string]string{"TERM": "xterm-ghostty"}, true},
		"VS Code, from such a one": {map[string]string{"TERM_PROGRAM": "vscode", "WT_SESSION": "1b0e"}, false},
		"tmux in Windows Terminal": {map[string]string{"TERM": "xterm-256color", "WT_SESSION": "1b0e", "TMUX": "/tmp/tmux"}, false},
		"Zellij in Ghostty":        {map[string]string{"TERM": "xterm-ghostty", "ZELLIJ": "0"}, false},
	} {
		if got := ShowsProgress(func(name string) string { return c.env[name] }); got != c.want {
			t.Errorf("%s: %t, want %t", name, got, c.want)
		}
	}
}
