package ui

import (
	"context"

	tea "charm.land/bubbletea/v2"

	"github.com/aloudchat/aloud/mcpclient"
	"github.com/aloudchat/aloud/mcpclient/elicit"
	"github.com/aloudchat/aloud/provider"
	"github.com/aloudchat/aloud/ui/composer"
	"github.com/aloudchat/aloud/ui/dialog"
	"github.com/aloudchat/aloud/ui/screen"
	"github.com/aloudchat/aloud/ui/transcript"
)

// openHelp opens the help. If a key that is text opened it, a text that is not in the help can go into the draft after
// the key.
func openHelp(dialogs *dialog.Stack, keys keymap, opener tea.KeyPressMsg, prompt *composer.Composer) tea.Cmd {
	note := lineNote + " The mouse selects and copies; with shift (option on a Mac), the terminal selects."
	dialogs.Open(dialog.NewHelp(keys.help(), note, typedAfter(opener, prompt)))
	return nil
}

// typedAfter returns a function that types a key that is text and the next one into the draft, or nil for another key.
func typedAfter(opener tea.KeyPressMsg, prompt *composer.Composer) func(tea.KeyPressMsg) {
	if opener.Text == "" {
		return nil
	}
	return func(k tea.KeyPressMsg) {
		prompt.Key(opener)
		prompt.Key(k)
	}
}

const toolsOff = "Tools are off (--no-tools)"

// openTools opens the list of tools, which share a window with the conversation, at a server.
func openTools(dialogs *dialog.Stack, o Options, window provider.Window, at string) tea.Cmd {
	if o.Tools == nil {
		return screen.ShowFlash(toolsOff)
	}
	dialogs.Open(dialog.NewTools(dialog.Tools{Box: o.Tools, Window: window, Store: o.RememberTool, At: at}))
	return nil
}

func openServers(dialogs *dialog.Stack, o Options, servers []mcpclient.ServerStatus) tea.Cmd {
	if len(servers) == 0 && o.Tools == nil {
		return screen.ShowFlash(toolsOff)
	}
	adding := dialog.Adding{Read: o.ReadServer, File: o.Config, Open: dialogs.Open}
	dialogs.Open(dialog.NewServers(o.Servers, servers, adding))
	return nil
}

func openLogin(dialogs *dialog.Stack, o Options, server string) tea.Cmd {
	d, begin := dialog.NewLogin(o.Servers, server, o.OpenPage)
	dialogs.Open(d)
	return begin
}

type (
	// questionMsg is a question of a server.
	questionMsg struct{ *elicit.Question }
	// questionOverMsg is a question that no longer needs an answer.
	questionOverMsg struct{ *elicit.Question }
)

// watchInbox returns a command that reports the questions of servers, one at a time, and notices about those that were
// answered automatically.
func watchInbox(inbox *elicit.Inbox) tea.Cmd {
	if inbox == nil {
		return nil
	}
	questions := func(ctx context.Context, send func(tea.Msg)) {
		for {
			q, err := inbox.Next(ctx)
			if err != nil {
				return
			}
			send(questionMsg{q})
			select {
			case <-q.Over():
				send(questionOverMsg{q})
			case <-ctx.Done():
				return
			}
		}
	}
	notices := func(ctx context.Context, send func(tea.Msg)) {
		for {
			texts, err := inbox.Told(ctx)
			if err != nil {
				return
			}
			for _, text := range texts {
				send(noticeMsg{transcript.Info, text})
			}
		}
	}
	return tea.Batch(screen.Go(questions), screen.Go(notices))
}
