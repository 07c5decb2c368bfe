package ui

import (
	"context"
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"

	"github.com/aloudchat/aloud/mcpclient"
	"github.com/aloudchat/aloud/ui/dialog"
	"github.com/aloudchat/aloud/ui/screen"
	"github.com/aloudchat/aloud/ui/transcript"
)

// panels opens the dialogs of commands.
type panels struct {
	ctx     context.Context // of what they do
	options *Options
	keys    keyMap
	open    func(dialog.Dialog)
	busy    func() bool // a turn or an operation runs
	board   func() []mcpclient.ServerStatus
	window  func() int                  // tokens of context
	forms   map[string]*dialog.ToolForm // of tools that were tried
}

func (p *panels) help() tea.Cmd {
	var cmds, keys [][2]string
	for _, c := range commands() {
		cmds = append(cmds, [2]string{strings.TrimSpace("/" + c.name + " " + c.args), c.help})
	}
	for _, b := range p.keys.rows() {
		keys = append(keys, [2]string{b.Help().Key, b.Help().Desc})
	}
	p.open(dialog.NewHelp(cmds, keys))
	return nil
}

func (p *panels) tools() tea.Cmd {
	if p.options.Tools == nil {
		return flash("This chat has no tools")
	}
	d, ok := dialog.NewTools(&dialog.Tools{
		Box: p.options.Tools, Window: p.window(), Store: p.options.RememberTool, Open: p.open, Forms: p.forms, Busy: p.busy,
	})
	if !ok {
		return flash("No server has offered a tool yet: see /servers")
	}
	p.open(d)
	return nil
}

func (p *panels) servers() tea.Cmd {
	if len(p.board()) == 0 {
		return flash("No servers are configured")
	}
	p.open(dialog.NewServers(&dialog.Servers{
		Context: p.ctx, Keeper: p.options.Servers, Tools: p.options.Tools, Board: p.board, Open: p.open,
	}))
	return nil
}

// roots says which folders servers are told of. It adds a folder, or takes it away if they were told of it.
func (p *panels) roots(folder string) tea.Cmd {
	box := p.options.Roots
	if box == nil {
		return flash("This chat has no servers")
	}
	return func() tea.Msg {
		told := box.Roots()
		if folder != "" {
			root, err := mcpclient.RootOf(folder)
			if err != nil {
				return screen.Flash{Text: dialog.Sentence(err)}
			}
			if at := slices.Index(told, root); at >= 0 {
				told = slices.Delete(told, at, at+1)
			} else {
				told = append(told, root)
			}
			box.SetRoots(told)
		}
		words := "Servers are told of no folder."
		if len(told) > 0 {
			words = "Servers are told that they may work in:"
		}
		for _, root := range told {
			words += "\n" + root.Folder
		}
		return noticeMsg{transcript.Info, words}
	}
}

// stats says how turns went, which it reads from all conversations.
func (p *panels) stats() tea.Cmd {
	count := p.options.Stats
	if count == nil {
		return flash("No sessions are kept, so there is nothing to count")
	}
	return func() tea.Msg {
		counted, err := count()
		if err != nil {
			warning := noticeMsg{transcript.Warn, dialog.Sentence(err)}
			return tea.BatchMsg{reply(warning), reply(noticeMsg{transcript.Info, counted.Text()})}
		}
		return noticeMsg{transcript.Info, counted.Text()}
	}
}

func (p *panels) logIn(server string) tea.Cmd {
	return p.show(dialog.NewLogin(p.ctx, p.options.Servers, server, p.options.OpenPage))
}

// show opens a dialog and returns its first command.
func (p *panels) show(d dialog.Dialog, begin tea.Cmd) tea.Cmd {
	p.open(d)
	return begin
}

// reply is a command that returns a message.
func reply(msg tea.Msg) tea.Cmd { return func() tea.Msg { return msg } }

// flash is a command that shows a few words about the last key.
func flash(text string) tea.Cmd { return reply(screen.Flash{Text: text}) }
