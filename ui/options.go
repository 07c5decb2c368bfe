package ui

import (
	"context"

	"github.com/aloudchat/aloud/mcpclient/elicit"
	"github.com/aloudchat/aloud/mcpclient/servers"
	"github.com/aloudchat/aloud/provider"
	"github.com/aloudchat/aloud/provider/attach"
	"github.com/aloudchat/aloud/provider/loop"
	"github.com/aloudchat/aloud/session"
	"github.com/aloudchat/aloud/status"
	"github.com/aloudchat/aloud/ui/dialog"
	"github.com/aloudchat/aloud/ui/screen"
)

// Options configures the chat on the screen.
type Options struct {
	Chat         *loop.Chat
	Conversation provider.Conversation
	Recorder     *session.Recorder                        // nil for no session; closed by /clear, or else by the caller
	NewSession   func() *session.Recorder                 // for /clear, closed by Run; nil with --no-session
	Board        *servers.Board                           // the state of the servers
	Tools        dialog.Toolbox                           // nil with --no-tools
	Offers       attach.Source                            // nil with --no-tools
	Servers      dialog.Keeper                            // nil with --no-tools
	Inbox        *elicit.Inbox                            // requests of servers; may be nil
	OpenPage     func(address string) error               // opens a page in your browser; may be nil
	Choice       provider.Choice                          // of a model if Chat.Name is ""
	UseModel     func(name string) error                  // remembers the model for the next start
	RememberTool func(server, tool string, on bool) error // remembers whether a tool is on for the next start; may be nil
	StartServer  func(ctx context.Context) error          // starts `ollama serve`; nil if that is not possible
	IsDemo       bool
	History      string // file of earlier inputs; "" for none
	Version      string
	Warnings     []error // problems at the start, for the transcript

	Style  status.Style  // how running tools are described; "" means by name
	Motion status.Motion // animation of the status row; "" means full
	Title  bool          // the window's title shows whether aloud is ready, working or waiting for you
	Notify bool          // notifications while the terminal does not have the focus

	Drawn func() // called once the first frame has been drawn; may be nil

	shell *screen.Shell // set by Run
}
