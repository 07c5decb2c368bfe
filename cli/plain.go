package cli

import (
	"os"
	"strings"

	"github.com/charmbracelet/x/term"
)

// fullScreen tells whether there is a terminal that can carry the screen.
func fullScreen(f flags) bool {
	return !plain(f) && term.IsTerminal(os.Stdin.Fd()) && term.IsTerminal(os.Stdout.Fd())
}

// plain tells whether text is to come line by line, with nothing that moves or is drawn over: it was asked for, the terminal can do no more,
// or what is written is read aloud. ACCESSIBLE is what other programs for the terminal read, too.
func plain(f flags) bool {
	return f.plain || os.Getenv("TERM") == "dumb" || isOn(os.Getenv("ACCESSIBLE"))
}

// isOn reads a variable that switches something on: any value does but those that say no.
func isOn(value string) bool {
	switch strings.ToLower(strings.TrimSpace(value)) {
	case "", "0", "f", "false", "n", "no", "off":
		return false
	}
	return true
}

// usualWidth is that of a terminal that does not tell, as one on a serial line.
const usualWidth = 80

// statusWidth is how many cells wide the terminal behind standard error is now.
func statusWidth() int {
	if width, _, err := term.GetSize(os.Stderr.Fd()); err == nil && width > 0 {
		return width
	}
	return usualWidth
}
