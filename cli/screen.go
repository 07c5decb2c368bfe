package cli

import (
	"context"
	"path/filepath"

	"github.com/aloudchat/aloud/config"
	"github.com/aloudchat/aloud/provider/ollama"
	"github.com/aloudchat/aloud/status"
	"github.com/aloudchat/aloud/ui"
)

// offerTools lets you turn tools on and off. Those turned off in the last chat start turned off.
func (t *talk) offerTools(o *ui.Options) {
	o.Tools, o.Offers = t.tools, t.tools
	off, err := config.ToolsOff(t.state)
	if err != nil {
		o.Warnings = append(o.Warnings, err)
	}
	for _, tool := range off {
		t.tools.Enable(tool.Server, tool.Tool, false) // the server may not be ready yet
	}
	if t.kept != "" {
		o.RememberTool = func(server, tool string, on bool) error {
			return config.RememberTool(t.kept, server, tool, on)
		}
	}
}

// screen is the full-screen chat. It calls drawn after the first frame.
func (t *talk) screen(ctx context.Context, drawn func()) error {
	t.chat.Interactive = true
	o := ui.Options{
		Chat: t.chat, Conversation: t.conv, Recorder: t.recorder, Board: t.board,
		LastModel: config.LastModel(t.state, t.cfg.Provider),
		UseModel:  func(name string) error { return config.RememberModel(t.kept, t.cfg.Provider, name) },
		IsDemo:    t.cfg.Chosen().Type == config.TypeDemo,
		Version:   t.flags.version,
		Style:     status.Style(t.cfg.Status.Style),
		Motion:    status.Motion(t.cfg.Status.Motion),
		Title:     t.cfg.Status.Title,
		Notify:    t.cfg.Status.Notify,
		Drawn:     drawn,
	}
	if t.tools != nil {
		o.Servers, o.OpenPage, o.Inbox = t.tools, openPage, t.inbox
		t.offerTools(&o)
	}
	if t.kept != "" {
		o.History = filepath.Join(t.kept, "history")
		o.NewSession = t.sessions.New
	}
	if client, ok := t.chat.Model.(*ollama.Client); ok {
		var server ollama.Server // one that aloud starts if you ask for it, and ends
		defer server.Close()
		if client.Local() {
			o.StartServer = func(ctx context.Context) error { return server.Start(ctx, t.cfg.Chosen().Address()) }
		}
	}
	return failure(ui.Run(ctx, o))
}
