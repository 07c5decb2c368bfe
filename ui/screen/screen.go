// Package screen is what the chat does with the terminal besides drawing: it reads the escape key at once, suspends the
// program, shows a pager, copies to the clipboard, sets the window's title and notifies. Nothing here knows what the
// chat says.
package screen

import (
	"fmt"
	"io"
	"os"
	"strings"

	tea "charm.land/bubbletea/v2"
	"github.com/atotto/clipboard"
	"github.com/charmbracelet/x/ansi"

	"github.com/aloudchat/aloud/ui/look"
)

// Flash is a message: a few words about the last key, which the chat shows for some seconds.
type Flash struct{ Text string }

// Copy is a command that copies a text in two ways: through the terminal, which also works over ssh but is not always
// allowed and never answers, and through a program of the desktop.
func Copy(text string) tea.Cmd {
	if text == "" {
		return func() tea.Msg { return Flash{"There is no answer to copy yet"} }
	}
	return tea.Sequence(tea.SetClipboard(text), func() tea.Msg {
		words := fmt.Sprintf("Copied %s characters", look.Thousands(len([]rune(text))))
		if !toDesktop(text, os.Getenv, clipboard.WriteAll) {
			words += ", if the terminal allows it"
		}
		return Flash{words}
	})
}

// toDesktop reports whether the desktop took a text. On WSL the terminal alone gets it: the library gives it to
// clip.exe, which reads letters beyond ASCII as others.
func toDesktop(text string, env func(string) string, write func(string) error) bool {
	return env("WSL_DISTRO_NAME") == "" && write(text) == nil
}

// Redraw is a command that writes the whole screen and lets all its rows scroll together. The renderer scrolls some of
// them at a time, and then sets the rows that scroll to those of the window it knows. If the window has grown meanwhile
// they end in its middle, and what is written below is scrolled away until the next time. Setting the rows moves the
// cursor, so it is put back: another frame may be written in between.
func Redraw() tea.Cmd {
	return tea.Sequence(tea.Raw(ansi.SaveCursor+ansi.SetTopBottomMargins(0, 0)+ansi.RestoreCursor), tea.ClearScreen)
}

// windowTitle is the part of a window that its operations save and restore.
const windowTitle = 2

// SaveTitle makes the terminal remember the window's title. Most terminals can; the others ignore it.
func SaveTitle(w io.Writer) { fmt.Fprint(w, ansi.WindowOp(22, windowTitle)) }

// RestoreTitle gives the window the title that was saved last.
func RestoreTitle(w io.Writer) { fmt.Fprint(w, ansi.WindowOp(23, windowTitle)) }

// Notify is a command that shows a desktop notification, and rings the bell for terminals that do not know the
// sequence. The text must be one safe line.
func Notify(text string) tea.Cmd {
	text = strings.ReplaceAll(text, ";", ",") // ConEmu reads "9;4;" as progress
	return tea.Raw(ansi.Notify("aloud: "+text) + "\a")
}

// ShowsProgress reports whether the terminal is known to show progress. In some others the sequence is a notification,
// and a multiplexer may hide which terminal it is.
func ShowsProgress(env func(name string) string) bool {
	for _, multiplexer := range []string{"TMUX", "STY", "ZELLIJ"} {
		if env(multiplexer) != "" {
			return false
		}
	}
	switch env("TERM_PROGRAM") {
	case "ghostty":
		return true
	case "":
		return env("TERM") == "xterm-ghostty" || env("WT_SESSION") != "" || env("ConEmuANSI") == "ON"
	}
	return false // the variables may come from the terminal in which this one was started
}
