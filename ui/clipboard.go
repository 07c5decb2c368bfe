package ui

import (
	"context"
	"encoding/base64"
	"fmt"
	"os/exec"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/aloudchat/aloud/ui/look"
)

// clipboards are the programs that take a text for the desktop's clipboard; the first that is there and works wins.
var clipboards = [][]string{
	{"pbcopy"},
	{"wl-copy"},
	{"xclip", "-selection", "clipboard"},
	{"xsel", "--clipboard", "--input"},
	{"powershell.exe", "-NoProfile", "-NonInteractive", "-Command", fromBase64},
}

// fromBase64 is how Windows takes a text, also from WSL. It reads ASCII alone: what else comes over a pipe is read in a code page, or, by clip.exe,
// as what it looks like.
const fromBase64 = "Set-Clipboard -Value ([Text.Encoding]::UTF8.GetString([Convert]::FromBase64String([Console]::In.ReadToEnd())))"

// asRead is a text as a program reads it.
func asRead(args []string, text string) string {
	if args[len(args)-1] == fromBase64 {
		return base64.StdEncoding.EncodeToString([]byte(text))
	}
	return text
}

// copyText copies in two ways: through the terminal, which also works over ssh but is not always allowed and never answers,
// and through a program of the desktop.
func copyText(ctx context.Context, text string) tea.Cmd {
	if text == "" {
		return reply(flashMsg{"There is no answer to copy yet"})
	}
	said := fmt.Sprintf("Copied %s characters", look.Thousands(len([]rune(text))))
	return tea.Sequence(tea.SetClipboard(text), func() tea.Msg {
		if toDesktop(ctx, text) {
			return flashMsg{said}
		}
		return flashMsg{said + ", if the terminal allows it"}
	})
}

func toDesktop(ctx context.Context, text string) bool {
	for _, args := range clipboards {
		if program, err := exec.LookPath(args[0]); err == nil {
			ctx, cancel := context.WithTimeout(ctx, 5*time.Second)
			cmd := exec.CommandContext(ctx, program, args[1:]...)
			cmd.Stdin = strings.NewReader(asRead(args, text))
			err = cmd.Run()
			cancel()
			if err == nil {
				return true
			}
		}
	}
	return false
}
