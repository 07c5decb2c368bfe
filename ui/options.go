package ui

import (
	"context"
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/aloudchat/aloud/mcpclient"
	"github.com/aloudchat/aloud/provider"
	"github.com/aloudchat/aloud/provider/inbox"
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
	Recorder     *session.Recorder                        // nil: no session; /clear closes it, else the caller
	NewSession   func() *session.Recorder                 // for /clear, closed by Run; nil with --no-session
	Board        *mcpclient.Board                         // the state of the servers
	Tools        dialog.Toolbox                           // nil with --no-tools
	Offers       Offers                                   // nil with --no-tools
	Servers      dialog.Keeper                            // nil with --no-tools
	Inbox        *inbox.Inbox                             // what servers ask; may be nil
	Roots        Roots                                    // the folders that they are told of; nil with --no-tools
	OpenPage     func(address string) error               // shows a page in your browser; may be nil
	LastModel    string                                   // tried when Chat.Name is ""
	UseModel     func(name string) error                  // remembers the model for the next start
	RememberTool func(server, tool string, on bool) error // remembers a switched tool for the next start; nil: it is not
	Stats        func() (session.Stats, error)            // counts how turns went; nil with --no-session
	StartServer  func(ctx context.Context) error          // starts `ollama serve`; nil when that makes no sense here
	Flags        []string                                 // that lead to the same server: "--host", "127.0.0.1:1234"
	Demo         func() provider.Model                    // the built-in model, offered when no server answers
	IsDemo       bool
	History      string // file of earlier inputs; "": none
	Version      string
	Warnings     []error     // what was wrong at the start, for the transcript
	News         <-chan News // notices for the transcript; may be nil

	Style   status.Style  // how running tools are told; "": by name
	Motion  status.Motion // how much of the status row moves by itself; "": all
	Title   bool          // the window's title says whether aloud is ready, works or needs you
	Taskbar bool          // so does the taskbar, in terminals that are known to show it
	Notify  bool          // notifications while the terminal does not have the focus

	Drawn func() // called once the first frame has been drawn; may be nil

	shell *screen.Shell // set by Run
}

// Roots are the folders that servers are told of: *mcpclient.Set.
type Roots interface {
	Roots() []mcpclient.Root
	SetRoots(roots []mcpclient.Root)
}

// News is something that happened outside the conversation, for the transcript.
type News struct {
	Text    string
	Mistake bool // it went wrong
}

// announceFrame calls Drawn one frame after the window's size is known: the renderer does not report when it has
// written the first frame.
func (o *Options) announceFrame() tea.Cmd {
	drawn := o.Drawn
	if drawn == nil {
		return nil
	}
	o.Drawn = nil
	return tea.Tick(time.Second/fps, func(time.Time) tea.Msg {
		drawn()
		return nil
	})
}
