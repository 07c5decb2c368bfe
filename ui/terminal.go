package ui

import (
	"strconv"
	"strings"

	"github.com/charmbracelet/x/ansi"
)

// features are what the terminal is known to understand beyond text. What is not known is not sent: one terminal's progress is another one's
// notification.
type features struct {
	taskbar bool   // shows progress: OSC 9;4
	notify  notify // how it shows a notification
}

// notify is the way in which a terminal is asked for a notification.
type notify int

const (
	bell     notify = iota // no way is known: the bell, which most make a mark of
	growl                  // OSC 9, of iTerm2
	urxvt                  // OSC 777
	kittyOwn               // OSC 99
)

// featuresOf finds out from the environment which terminal it is. Inside of a multiplexer that is not sure, and what it would pass on neither.
func featuresOf(env func(name string) string) features {
	term, program := env("TERM"), env("TERM_PROGRAM")
	version := env("TERM_PROGRAM_VERSION")
	switch {
	case env("TMUX") != "" || env("STY") != "" || env("ZELLIJ") != "" || strings.HasPrefix(term, "tmux") || strings.HasPrefix(term, "screen"):
		return features{}
	case program == "" && env("LC_TERMINAL") == "iTerm2": // over ssh
		program, version = "iTerm.app", env("LC_TERMINAL_VERSION")
	}
	switch {
	case program == "ghostty" || term == "xterm-ghostty":
		return features{taskbar: true, notify: growl}
	case program == "iTerm.app":
		return features{taskbar: since(version, 3, 6, 6), notify: growl}
	case program == "WezTerm":
		return features{taskbar: since(version, 20250210), notify: growl}
	case program == "WarpTerminal":
		return features{notify: growl}
	case term == "xterm-kitty":
		return features{notify: kittyOwn}
	case strings.HasPrefix(term, "foot"), strings.HasPrefix(term, "rxvt"):
		return features{notify: urxvt}
	case program != "": // what follows may be inherited from the terminal in which that one was started
		return features{}
	}
	return features{taskbar: env("WT_SESSION") != "" || env("ConEmuANSI") == "ON" || since(env("VTE_VERSION"), 7900)}
}

// since tells whether a version, "3.6.6" or "20250210-120000-abcdef", is that one or a later one.
func since(version string, least ...int) bool {
	parts := strings.FieldsFunc(version, func(r rune) bool { return r < '0' || r > '9' })
	for i, want := range least {
		if i >= len(parts) {
			return false
		}
		if have, err := strconv.Atoi(parts[i]); err != nil || have != want {
			return err == nil && have > want
		}
	}
	return true
}

// notification is the sequence that shows a text, which must be one safe line.
func (f features) notification(text string) string {
	text = strings.ReplaceAll(text, ";", ",") // which would part it
	switch f.notify {
	case growl:
		return ansi.Notify("aloud: " + text)
	case urxvt:
		return "\x1b]777;notify;aloud;" + text + "\x07"
	case kittyOwn:
		return ansi.DesktopNotification("aloud: "+text, "i=aloud")
	}
	return "\a"
}
