package ui

import (
	"context"

	tea "charm.land/bubbletea/v2"

	"github.com/aloudchat/aloud/provider/attach"
	"github.com/aloudchat/aloud/ui/dialog"
	"github.com/aloudchat/aloud/ui/screen"
)

// Around has other places for models than the configured one. It is for the first minute, when there is no model.
type Around struct {
	Memory int64        // of this machine, in bytes; 0 if unknown
	Demo   dialog.Place // the built-in model
	File   string       // where a place is kept; "" for nowhere

	// Look returns the model servers on this machine, and Visit the one at an address. Both may be nil.
	Look  func(ctx context.Context) []dialog.Place
	Visit func(ctx context.Context, address string) (dialog.Place, error)
}

// Moved is the error of Run after you chose another place for models. The caller runs the chat there.
type Moved struct {
	dialog.Place
	Keep    bool         // also in later chats
	Draft   attach.Input // what you typed
	Session string       // of the conversation; "" if nothing was saved
}

// Error implements error.
func (m *Moved) Error() string { return "the chat goes on at " + m.Address }

// connectedMsg is the server at an address that you typed.
type connectedMsg struct {
	search int // its number
	place  dialog.Place
	err    error
}

// listPlaces opens the list of model servers, with the error of the last address.
func (c *models) listPlaces(look bool, failed error, dialogs *dialog.Stack) tea.Cmd {
	find := c.around.Look
	if !look {
		find = nil
	}
	d, fill := dialog.NewPlaces(find, failed)
	dialogs.Open(d)
	return fill
}

// connect asks which server is at an address.
func (c *models) connect(address string) tea.Cmd {
	n, visit := c.begin("asking "+address+"…"), c.around.Visit
	return screen.Go(func(ctx context.Context, send func(tea.Msg)) {
		place, err := visit(ctx, address)
		send(connectedMsg{n, place, err})
	})
}

// connected asks how long to use the server, unless a search has begun since.
func (c *models) connected(msg connectedMsg, dialogs *dialog.Stack) tea.Cmd {
	if msg.search != c.search {
		return nil
	}
	if c.doing = ""; msg.err != nil {
		return c.listPlaces(false, msg.err, dialogs)
	}
	dialogs.Open(dialog.NewKeep(msg.place, c.around.File))
	return nil
}
