// Package screen runs the chat in a terminal: it draws frames when they change, restores the terminal on every way out,
// suspends the program, shows a pager, copies to the clipboard, notifies, and runs work that ends with the program. It
// does not depend on the chat.
package screen

import (
	"fmt"
	"os"
	"strings"

	tea "charm.land/bubbletea/v2"
	"github.com/atotto/clipboard"
	"github.com/charmbracelet/x/ansi"

	"github.com/aloudchat/aloud/ui/look"
)

// Flash is a message with a short text about the last key, which the chat shows for some seconds.
type Flash struct{ Text string }

// ShowFlash returns a command that shows a short text about the last key.
func ShowFlash(text string) tea.Cmd { return Reply(Flash{text}) }

// Copy returns a command that copies a text in two ways: through the terminal, which also works over ssh but may be
// disabled and sends no reply, and through a desktop program.
func Copy(text string) tea.Cmd {
	if text == "" {
		return ShowFlash("No answer to copy yet")
	}
	return tea.Sequence(Write(ansi.SetSystemClipboard(text)), func() tea.Msg {
		words := fmt.Sprintf("Copied %s characters", look.Thousands(len([]rune(text))))
		if lines := strings.Count(strings.TrimSpace(text), "\n") + 1; lines > 1 {
			words = fmt.Sprintf("Copied %s lines", look.Thousands(lines))
		}
		if !toDesktop(text, os.Getenv, clipboard.WriteAll) {
			words += ", if the terminal allows it"
		}
		return Flash{words}
	})
}

// toDesktop reports whether the desktop accepted a text. WSL uses only the terminal: the library would use clip.exe,
// which decodes non-ASCII letters wrongly.
func toDesktop(text string, env func(string) string, write func(string) error) bool {
	return env("WSL_DISTRO_NAME") == "" && write(text) == nil
}

// Notify returns a command that shows a desktop notification, and rings the bell for terminals that do not support the
// sequence. The text must be one safe line.
func Notify(text string) tea.Cmd {
	text = strings.ReplaceAll(text, ";", ",") // ConEmu reads "9;4;" as progress
	return Write(ansi.Notify("aloud: "+text) + "\a")
}
