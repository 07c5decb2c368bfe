package look

import (
	"strconv"
	"strings"
)

// knowsLinks reports whether a terminal is known to open the links of text (OSC 8), by its environment. A multiplexer
// may drop them without a sign, and so may a terminal that is not in the list.
func knowsLinks(getenv func(key string) string) bool {
	term := getenv("TERM")
	if getenv("TMUX") != "" || getenv("STY") != "" || getenv("ZELLIJ") != "" {
		return false
	}
	for _, known := range []string{"xterm-kitty", "xterm-ghostty", "alacritty", "foot", "wezterm", "contour"} {
		if strings.HasPrefix(term, known) {
			return true
		}
	}
	switch getenv("TERM_PROGRAM") {
	case "iTerm.app", "WezTerm", "ghostty", "vscode", "rio", "Tabby":
		return true
	case "":
	default:
		return false // the variables below may be those of the terminal that it was started from
	}
	vte, _ := strconv.Atoi(getenv("VTE_VERSION"))
	return strings.HasPrefix(term, "xterm") && (vte > 5000 || getenv("WT_SESSION") != "") // 0.50.0 crashes
}
