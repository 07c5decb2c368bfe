package ui

import (
	tea "charm.land/bubbletea/v2"

	"github.com/aloudchat/aloud/ui/composer"
	"github.com/aloudchat/aloud/ui/screen"
)

// loadHistory is a command that reads the file.
func loadHistory(file string) tea.Cmd {
	if file == "" {
		return nil
	}
	return func() tea.Msg {
		entries, err := composer.ReadHistory(file)
		return historyMsg{entries, err}
	}
}

// storeHistory is a command that appends to the file.
func storeHistory(file, entry string) tea.Cmd {
	if file == "" {
		return nil
	}
	return func() tea.Msg {
		if err := composer.AppendHistory(file, entry); err != nil {
			return screen.Flash{Text: err.Error()}
		}
		return nil
	}
}
