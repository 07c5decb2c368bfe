package cli

import (
	"context"
	"path/filepath"

	"github.com/spf13/pflag"

	"github.com/aloudchat/aloud/config"
	"github.com/aloudchat/aloud/provider"
	"github.com/aloudchat/aloud/provider/demo"
	"github.com/aloudchat/aloud/provider/ollama"
	"github.com/aloudchat/aloud/session"
	"github.com/aloudchat/aloud/status"
	"github.com/aloudchat/aloud/ui"
)

// offerTools lets you switch tools. Those switched off in the last chat start switched off.
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
		o.RememberTool = func(server, tool string, on bool) error { return config.RememberTool(t.kept, server, tool, on) }
	}
}

// sameServer returns the given flags that choose the model server and the configuration.
func sameServer(given *pflag.FlagSet) []string {
	var words []string
	for _, name := range []string{"config", "provider", "host"} {
		if f := given.Lookup(name); f.Changed {
			words = append(words, "--"+name, f.Value.String())
		}
	}
	return words
}

// screen is the full-screen chat. drawn is called once it is first drawn.
func (t *talk) screen(ctx context.Context, given *pflag.FlagSet, drawn func()) error {
	t.chat.Interactive = true
	o := ui.Options{
		Chat: t.chat, Conversation: t.conv, Recorder: t.recorder, Board: t.board,
		LastModel: config.LastModel(t.state, t.cfg.Provider),
		UseModel:  func(name string) error { return config.RememberModel(t.kept, t.cfg.Provider, name) },
		Demo:      func() provider.Model { return demo.New() },
		IsDemo:    t.cfg.Chosen().Type == config.TypeDemo,
		Flags:     sameServer(given),
		Version:   t.flags.version,
		Style:     status.Style(t.cfg.Status.Style),
		Motion:    status.Motion(t.cfg.Status.Motion),
		Title:     t.cfg.Status.Title,
		Taskbar:   t.cfg.Status.Taskbar,
		Notify:    t.cfg.Status.Notify,
		Drawn:     drawn,
	}
	if t.tools != nil {
		o.Servers, o.OpenPage, o.Inbox, o.Roots = t.tools, openPage, t.inbox, t.tools
		t.offerTools(&o)
	}
	news := make(chan ui.News)
	o.News = news
	defer t.follow(ctx, func(ctx context.Context, text string, mistake bool) {
		select {
		case news <- ui.News{Text: text, Mistake: mistake}:
		case <-ctx.Done():
		}
	})()
	if t.kept != "" {
		o.History = filepath.Join(t.kept, "history")
		o.NewSession = t.sessions.New
		o.Stats = func() (session.Stats, error) { return t.sessions.Stats(session.StatsFilter{}) }
	}
	if client, ok := t.chat.Model.(*ollama.Client); ok {
		var server ollama.Server // one that you asked aloud to start, and that ends with it
		defer server.Close()
		if client.Local() {
			o.StartServer = func(ctx context.Context) error { return server.Start(ctx, t.cfg.Chosen().Address()) }
		}
	}
	return failure(ui.Run(ctx, o))
}
