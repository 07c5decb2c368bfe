package ui

import (
	"context"
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/aloudchat/aloud/mcpclient"
	"github.com/aloudchat/aloud/provider"
	"github.com/aloudchat/aloud/provider/inbox"
	"github.com/aloudchat/aloud/session"
	"github.com/aloudchat/aloud/status"
	"github.com/aloudchat/aloud/ui/dialog"
	"github.com/aloudchat/aloud/ui/screen"
)

// Options configures the chat on the screen.
type Options struct {
	Chat         *provider.Chat
	Conversation provider.Conversation
	Recorder     *session.Recorder                        // nil: no session; /clear closes it, at the end it is the caller's
	NewSession   func() *session.Recorder                 // for /clear, closed by Run; nil with --no-session
	Board        *mcpclient.Board                         // where the servers stand
	Tools        dialog.Toolbox                           // nil with --no-tools
	Offers       Offers                                   // nil with --no-tools
	Servers      dialog.Keeper                            // nil with --no-tools
	Inbox        *inbox.Inbox                             // where servers ask; nil: they do not
	Roots        Roots                                    // the folders that they are told of; nil with --no-tools
	OpenPage     func(address string) error               // shows a page in your browser; nil: the address is shown only
	LastModel    string                                   // tried when Chat.Name is ""
	UseModel     func(name string) error                  // remembers the model for the next start
	RememberTool func(server, tool string, on bool) error // remembers a switched tool for the next start; nil: it is not
	Stats        func() (session.Stats, error)            // counts how turns went, which takes a while; nil: no sessions are kept
	StartServer  func(ctx context.Context) error          // starts `ollama serve`; nil when that makes no sense here
	Flags        []string                                 // names and values that lead to the same server: "--host", "127.0.0.1:1234"
	Demo         func() provider.Model                    // the built-in model, offered when no server answers
	IsDemo       bool
	History      string // file of earlier inputs; "": none
	Version      string
	Warnings     []error     // what was wrong at the start, for the transcript
	News         <-chan News // what is worth a line in the transcript whenever it comes; nil: nothing

	Style   status.Style  // how running tools are told; "": by name
	Motion  status.Motion // how much of the status row moves by itself; "": all
	Title   bool          // the window's title says whether aloud is ready, works or needs you
	Taskbar bool          // so does the taskbar, with how far it is, in terminals that are known to show it
	Notify  bool          // a notification tells of what is worth coming back for, while the terminal is not looked at

	Drawn func() // called once, when the first frame has been drawn: what would have held it up can begin; nil: nothing would have

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

// announceFrame calls Drawn one frame after the window's size is known: the renderer does not report when it has written the first frame.
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
