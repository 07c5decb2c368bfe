package ui

import (
	"context"

	tea "charm.land/bubbletea/v2"

	"github.com/aloudchat/aloud/ui/composer"
	"github.com/aloudchat/aloud/ui/screen"
	"github.com/aloudchat/aloud/ui/transcript"
)

// newsMsg is what happened outside of the conversation.
type newsMsg struct{ News }

func (n newsMsg) kind() transcript.Kind {
	if n.Mistake {
		return transcript.Warn
	}
	return transcript.Info
}

// awaitNews is a command that waits for the next news.
func awaitNews(ctx context.Context, news <-chan News) tea.Cmd {
	if news == nil {
		return nil
	}
	return func() tea.Msg {
		select {
		case n := <-news:
			return newsMsg{n}
		case <-ctx.Done():
			return nil
		}
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
