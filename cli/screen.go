package cli

import (
	"context"
	"errors"
	"path/filepath"
	"runtime/debug"

	"github.com/aloudchat/aloud/config"
	"github.com/aloudchat/aloud/provider/demo"
	"github.com/aloudchat/aloud/provider/ollama"
	"github.com/aloudchat/aloud/status"
	"github.com/aloudchat/aloud/ui"
)

// offerTools lets you turn tools on and off. Tools that you turned off in the last chat stay off.
func (c *chatParts) offerTools(o *ui.Options) {
	o.Tools = c.tools
	off, err := config.ToolsOff(c.state)
	if err != nil {
		o.Warnings = append(o.Warnings, err)
	}
	for _, tool := range off {
		c.tools.Enable(tool.Server, tool.Tool, false) // the server may not be ready yet
	}
	if c.kept != "" {
		o.RememberTool = func(server, tool string, on bool) error {
			return config.RememberTool(c.kept, server, tool, on)
		}
	}
}

// The memory that may be unused before it is collected, in percent of the memory in use. Half of Go's default costs a
// few percent of the time: most of the memory of a chat is the conversation, which is text and quick to scan. Before
// the first frame it would be collected four times, which delays the frame by a fifth.
const (
	garbage        = 50
	garbageAtStart = 400
)

// screen is the full-screen chat. It calls drawn after the first frame.
func (c *chatParts) screen(ctx context.Context, drawn func()) error {
	debug.SetGCPercent(garbageAtStart)
	o := ui.Options{
		Parts:    c.Parts,
		Board:    c.board,
		UseModel: func(name string) error { return config.RememberModel(c.kept, c.cfg.Provider, name) },
		Here:     c.here,
		Config:   shortPath(c.cfg.Path),
		Version:  c.flags.version,
		Keys:     c.cfg.Keys,
		NoMouse:  !c.cfg.UI.Mouse,
		Theme:    c.cfg.Theme,
		Themes:   c.cfg.Themes,
		Motion:   status.Motion(c.cfg.Status.Motion),
		Title:    c.cfg.Status.Title,
		Notify:   c.cfg.Status.Notify,
		Drawn: func() {
			debug.SetGCPercent(garbage)
			drawn()
		},
	}
	if c.cfg.Chosen().Type == config.TypeDemo {
		o.Demo, o.Config = demo.Questions(), ""
	} else {
		o.ReadServer = c.readServer
	}
	if c.tools != nil {
		o.Servers, o.OpenPage, o.Inbox = c.tools, openPage, c.inbox
		c.offerTools(&o)
	}
	if c.kept != "" {
		o.History = filepath.Join(c.kept, "history")
	}
	if client, ok := c.Chat.Model.(*ollama.Client); ok {
		var server ollama.Server // the server that aloud starts, and ends, at your request
		defer server.Close()
		if client.Local() {
			o.StartServer = func(ctx context.Context) error { return server.Start(ctx, c.cfg.Chosen().Address()) }
		}
	}
	o.Around = c.around()
	if c.flags.moved != nil {
		o.Draft = c.flags.moved.Draft
		if err := c.keep(c.flags.moved); err != nil {
			o.Warnings = append(o.Warnings, err)
		}
	}
	err := ui.Run(ctx, o)
	if _, ok := errors.AsType[*ui.Moved](err); ok {
		return err
	}
	return failure(err)
}
