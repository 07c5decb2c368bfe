package ui

import (
	"context"
	"strings"

	tea "charm.land/bubbletea/v2"

	"github.com/aloudchat/aloud/mcpclient"
	"github.com/aloudchat/aloud/ui/dialog"
	"github.com/aloudchat/aloud/ui/screen"
)

// panels opens the dialogs of commands.
type panels struct {
	ctx     context.Context // for their commands
	options *Options
	open    func(dialog.Dialog)
	footer  *footer // has the servers
	talk    *talk
}

func (p *panels) help() tea.Cmd {
	var cmds [][2]string
	for _, c := range commands() {
		cmds = append(cmds, [2]string{strings.TrimSpace("/" + c.name + " " + c.args), c.help})
	}
	p.open(dialog.NewHelp(cmds, keys))
	return nil
}

const toolsOff = "Tools are off (--no-tools)"

func (p *panels) tools() tea.Cmd {
	if p.options.Tools == nil {
		return flash(toolsOff)
	}
	d, ok := dialog.NewTools(&dialog.Tools{
		Box: p.options.Tools, Window: p.talk.room(), Store: p.options.RememberTool, Open: p.open,
	})
	if !ok {
		return flash("No tools available · see /servers")
	}
	p.open(d)
	return nil
}

func (p *panels) servers() tea.Cmd {
	switch {
	case len(p.footer.servers) > 0:
	case p.options.Tools == nil:
		return flash(toolsOff)
	default:
		return flash("No servers configured")
	}
	p.open(dialog.NewServers(&dialog.Servers{
		Context: p.ctx, Keeper: p.options.Servers, Open: p.open,
		Board: func() []mcpclient.ServerStatus { return p.footer.servers },
	}))
	return nil
}

func (p *panels) logIn(server string) tea.Cmd {
	d, begin := dialog.NewLogin(p.ctx, p.options.Servers, server, p.options.OpenPage)
	p.open(d)
	return begin
}

// reply returns a command that returns a message.
func reply(msg tea.Msg) tea.Cmd { return func() tea.Msg { return msg } }

// flash returns a command that shows a short text about the last key.
func flash(text string) tea.Cmd { return reply(screen.Flash{Text: text}) }
