package ui

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	tea "charm.land/bubbletea/v2"

	"github.com/aloudchat/aloud/internal/sanitize"
	"github.com/aloudchat/aloud/provider"
	"github.com/aloudchat/aloud/session"
	"github.com/aloudchat/aloud/ui/dialog"
	"github.com/aloudchat/aloud/ui/screen"
	"github.com/aloudchat/aloud/ui/transcript"
)

// openMsg opens a saved conversation.
type openMsg struct{ id string }

// resume runs /resume: it lists the saved conversations, filtered by words.
func resume(m *model, words string) tea.Cmd { return m.talk.list(&m.dialogs, words) }

func (t *talk) list(dialogs *dialog.Stack, words string) tea.Cmd {
	store := t.chat.Sessions()
	if store == nil {
		return screen.ShowFlash("No conversations are saved with --no-session")
	}
	d, fill := dialog.NewConversations(dialog.Conversations{
		Current: t.saved(),
		List:    func() ([]dialog.Conversation, error) { return listed(store.List()) },
		Search: func(ctx context.Context, words string) ([]dialog.Conversation, error) {
			return listed(store.Search(ctx, words))
		},
		Rename: store.Rename, Remove: store.Remove,
		Export:  func(id string) (string, error) { return export(store, id) },
		Preview: func(id string) ([]string, error) { return lastLines(store, id) },
		Open:    func(id string) tea.Msg { return openMsg{id} },
	}, words)
	dialogs.Open(d)
	return fill
}

func listed(infos []session.Info, err error) ([]dialog.Conversation, error) {
	home, _ := os.UserHomeDir()
	all := make([]dialog.Conversation, len(infos))
	for i, info := range infos {
		folder := info.Folder
		if rest, ok := strings.CutPrefix(folder, home); ok && home != "" && (rest == "" || os.IsPathSeparator(rest[0])) {
			folder = "~" + rest
		}
		all[i] = dialog.Conversation{ID: info.ID, Title: info.Title, Excerpt: info.Excerpt, Folder: folder,
			Model: info.Model, Changed: info.Changed, Questions: info.Questions, Size: info.Size}
	}
	return all, err
}

// export writes a conversation to a new file in the current folder.
func export(store *session.Store, id string) (name string, err error) {
	name = "aloud-" + filepath.Base(id) + ".md"
	f, err := os.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return "", fmt.Errorf("cannot export the conversation: %w", err)
	}
	if err := errors.Join(store.Export(f, id, session.Markdown), f.Close()); err != nil {
		_ = os.Remove(name) // so that you can try again
		return "", err
	}
	return name, nil
}

// lastLines returns the last messages of a conversation.
func lastLines(store *session.Store, id string) (lines []string, err error) {
	const most, longest = 6, 2000
	_, conv, _, err := store.Read(id)
	messages := conv.Messages()
	for _, m := range messages[max(0, len(messages)-most):] {
		text := sanitize.Text(sanitize.Cut(m.Text, longest))
		switch {
		case text == "" || m.Role != provider.RoleUser && m.Role != provider.RoleAssistant:
		case m.IsQuestion():
			lines = append(lines, "› "+text, "")
		default:
			lines = append(lines, text, "")
		}
	}
	return lines, err
}

// open goes on with a saved conversation, with the model that it had if that is there.
func (t *talk) open(id string, shown *transcript.Transcript, bar *statusBar, f *footer, c *models) tea.Cmd {
	if t.busy() {
		return screen.ShowFlash("Not while an answer is running")
	}
	wants, err := t.chat.Open(id)
	if err == nil || t.chat.Settings().Session == id {
		t.show(shown, bar, f)
	}
	if err != nil {
		shown.Notice(transcript.Warn, dialog.Sentence(err))
	}
	if wants != "" {
		return c.change(wants, nil)
	}
	return nil
}
