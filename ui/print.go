package ui

import (
	"os"

	tea "charm.land/bubbletea/v2"
	"charm.land/lipgloss/v2"
	"github.com/charmbracelet/colorprofile"
	"github.com/charmbracelet/x/term"

	"github.com/aloudchat/aloud/provider"
	"github.com/aloudchat/aloud/session"
	"github.com/aloudchat/aloud/ui/look"
	"github.com/aloudchat/aloud/ui/transcript"
)

// Print writes a conversation to a terminal as the chat shows it, with everything unfolded.
func Print(out *os.File, conv provider.Conversation, turns []session.Turn) error {
	width, height, err := term.GetSize(out.Fd())
	if err != nil {
		return err
	}
	st := look.New(nil)
	colors := colorprofile.NewWriter(out, os.Environ())
	st.Follow(tea.ColorProfileMsg{Profile: colors.Profile})
	if color, err := lipgloss.BackgroundColor(os.Stdin, out); err == nil {
		st.Follow(tea.BackgroundColorMsg{Color: color})
	}
	t := transcript.New()
	t.Resize(width, height)
	t.Restyle(&st)
	t.Load(conv, turns)
	return t.Unfolded().Dump(colors, 0)
}
