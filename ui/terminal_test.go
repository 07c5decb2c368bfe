package ui

import "testing"

func TestTerminals(t *testing.T) {
	for name, c := range map[string]struct {
		env  map[string]string
		want features
	}{
		"nothing known":              {nil, features{}},
		"xterm":                      {map[string]string{"TERM": "xterm-256color"}, features{}},
		"Apple's":                    {map[string]string{"TERM": "xterm-256color", "TERM_PROGRAM": "Apple_Terminal"}, features{}},
		"Alacritty":                  {map[string]string{"TERM": "alacritty"}, features{}},
		"Windows Terminal":           {map[string]string{"WT_SESSION": "1b0e"}, features{taskbar: true}},
		"ConEmu":                     {map[string]string{"ConEmuANSI": "ON"}, features{taskbar: true}},
		"ConEmu without sequences":   {map[string]string{"ConEmuANSI": "OFF"}, features{}},
		"Ghostty":                    {map[string]string{"TERM": "xterm-ghostty", "TERM_PROGRAM": "ghostty"}, features{true, growl}},
		"Ghostty over ssh":           {map[string]string{"TERM": "xterm-ghostty"}, features{true, growl}},
		"iTerm2":                     {map[string]string{"TERM_PROGRAM": "iTerm.app", "TERM_PROGRAM_VERSION": "3.6.6"}, features{true, growl}},
		"a newer iTerm2":             {map[string]string{"TERM_PROGRAM": "iTerm.app", "TERM_PROGRAM_VERSION": "4.0"}, features{true, growl}},
		"an older iTerm2":            {map[string]string{"TERM_PROGRAM": "iTerm.app", "TERM_PROGRAM_VERSION": "3.6.5"}, features{false, growl}},
		"iTerm2 over ssh":            {map[string]string{"LC_TERMINAL": "iTerm2", "LC_TERMINAL_VERSION": "3.6.10"}, features{true, growl}},
		"iTerm2 of an odd version":   {map[string]string{"TERM_PROGRAM": "iTerm.app", "TERM_PROGRAM_VERSION": "beta"}, features{false, growl}},
		"the last stable WezTerm":    {map[string]string{"TERM_PROGRAM": "WezTerm", "TERM_PROGRAM_VERSION": "20240203-110809-5046fc22"}, features{false, growl}},
		"a newer WezTerm":            {map[string]string{"TERM_PROGRAM": "WezTerm", "TERM_PROGRAM_VERSION": "20250701-101010-abcdef01"}, features{true, growl}},
		"Warp":                       {map[string]string{"TERM_PROGRAM": "WarpTerminal"}, features{notify: growl}},
		"kitty":                      {map[string]string{"TERM": "xterm-kitty"}, features{notify: kittyOwn}},
		"foot":                       {map[string]string{"TERM": "foot-extra"}, features{notify: urxvt}},
		"urxvt":                      {map[string]string{"TERM": "rxvt-unicode-256color"}, features{notify: urxvt}},
		"VTE":                        {map[string]string{"TERM": "xterm-256color", "VTE_VERSION": "8000"}, features{taskbar: true}},
		"an older VTE":               {map[string]string{"TERM": "xterm-256color", "VTE_VERSION": "7600"}, features{}},
		"VS Code, from such a one":   {map[string]string{"TERM_PROGRAM": "vscode", "WT_SESSION": "1b0e"}, features{}},
		"tmux in Ghostty":            {map[string]string{"TERM": "tmux-256color", "TERM_PROGRAM": "tmux", "TMUX": "/tmp/tmux"}, features{}},
		"tmux in Windows Terminal":   {map[string]string{"TERM": "xterm-256color", "WT_SESSION": "1b0e", "TMUX": "/tmp/tmux"}, features{}},
		"tmux over ssh":              {map[string]string{"TERM": "tmux-256color", "LC_TERMINAL": "iTerm2", "LC_TERMINAL_VERSION": "3.6.6"}, features{}},
		"screen in Windows Terminal": {map[string]string{"TERM": "screen-256color", "WT_SESSION": "1b0e", "STY": "12.tty"}, features{}},
		"Zellij in Ghostty":          {map[string]string{"TERM": "xterm-ghostty", "ZELLIJ": "0"}, features{}},
	} {
		if got := featuresOf(func(name string) string { return c.env[name] }); got != c.want {
			t.Errorf("%s: %+v, not %+v", name, got, c.want)
		}
	}
}

func TestANotificationIsOneSequence(t *testing.T) {
	for way, want := range map[notify]string{
		bell:     "\a",
		growl:    "\x1b]9;aloud: 4,3 has answered\x07",
		urxvt:    "\x1b]777;notify;aloud;4,3 has answered\x07",
		kittyOwn: "\x1b]99;i=aloud;aloud: 4,3 has answered\x07",
	} {
		if got := (features{notify: way}).notification("4;3 has answered"); got != want {
			t.Errorf("%q, not %q", got, want)
		}
	}
}
