package ui

import (
	"strconv"
	"strings"

	tea "charm.land/bubbletea/v2"

	"github.com/aloudchat/aloud/ui/screen"
	"github.com/aloudchat/aloud/ui/transcript"
)

// copyPart copies what the argument of /copy names: the last answer, the tape of the last turn, or a block of code, the
// last one first.
func copyPart(t *transcript.Transcript, arg string) tea.Cmd {
	if arg == "" {
		return screen.Copy(t.Answer())
	}
	if arg == "tape" {
		if text := t.Tape(); text != "" {
			return screen.Copy(text)
		}
		return screen.ShowFlash("No turn has ended yet")
	}
	what, number, _ := strings.Cut(arg, " ")
	if number == "" {
		number = "1"
	}
	n, err := strconv.Atoi(strings.TrimSpace(number))
	if what != "code" || err != nil || n < 1 {
		return screen.ShowFlash("Usage: /copy, /copy tape, /copy code, or /copy code 2 for the block before the last")
	}
	if code := t.Code(n); code != "" {
		return screen.Copy(code)
	}
	return screen.ShowFlash("No such block of code")
}
