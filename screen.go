package main

import (
	"context"
	"path/filepath"

	"github.com/aloudchat/aloud/config"
	"github.com/aloudchat/aloud/provider"
	"github.com/aloudchat/aloud/provider/demo"
	"github.com/aloudchat/aloud/provider/ollama"
	"github.com/aloudchat/aloud/ui"
)

// screen is the full-screen chat.
func (t *talk) screen(ctx context.Context) error {
	t.chat.Interactive = true
	o := ui.Options{
		Chat: t.chat, Conversation: t.conv, Recorder: t.recorder, NewSession: t.newSession(), Board: t.board,
		LastModel: config.LastModel(t.state),
		UseModel:  func(name string) error { return config.RememberModel(t.state, name) },
		Demo:      func() provider.Model { return demo.New() },
		IsDemo:    t.cfg.Provider == "demo",
		History:   filepath.Join(t.state, "history"),
		Version:   version,
	}
	if t.tools != nil {
		o.Tools = t.tools
	}
	if client, ok := t.chat.Model.(*ollama.Client); ok && client.Local() {
		var server *ollama.Server // one that the person asked us to start, and that we end
		o.StartServer = func(ctx context.Context) (err error) {
			server, err = ollama.StartServer(ctx, t.cfg.Host)
			return err
		}
		defer func() { server.Close() }()
	}
	return asFailure(ui.Run(ctx, o))
}
