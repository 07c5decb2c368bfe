package ui

import (
	"context"
	"errors"
	"fmt"
	"io"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/colorprofile"

	"github.com/aloudchat/aloud/internal/theme"
	"github.com/aloudchat/aloud/mcpclient"
	"github.com/aloudchat/aloud/mcpclient/elicit"
	"github.com/aloudchat/aloud/provider/attach"
	"github.com/aloudchat/aloud/provider/event"
	"github.com/aloudchat/aloud/session/live"
	"github.com/aloudchat/aloud/status"
	"github.com/aloudchat/aloud/ui/dialog"
	"github.com/aloudchat/aloud/ui/screen"
)

// Options configures the chat on the screen.
type Options struct {
	live.Parts
	Board   mcpclient.Statuses   // the state of the servers; may be nil
	Tools   dialog.Toolbox       // nil with --no-tools
	Servers dialog.ServerControl // nil with --no-tools
	// ReadServer reads a server that you add, as in dialog.Adding; nil without a configuration.
	ReadServer   func(line, name string) (dialog.NewServer, error)
	Inbox        *elicit.Inbox                            // requests of servers; may be nil
	OpenPage     func(address string) error               // opens a page in your browser; may be nil
	UseModel     func(name string) error                  // remembers the model for the next start
	RememberTool func(server, tool string, on bool) error // remembers whether a tool is on for the next start; may be nil
	StartServer  func(ctx context.Context) error          // starts `ollama serve`; nil if that is not possible
	Demo         []string                                 // the questions of the demo; nil for other models
	Around       Around
	Draft        attach.Input // begins in the composer
	Here         func() Here  // reads the current folder; may be nil
	Config       string       // the configuration file, as it is shown
	History      string       // file of earlier inputs; "" for none
	Version      string
	Keys         map[string][]string // of actions, from Bind; nil for the defaults
	Warnings     []error             // problems at the start, for the transcript

	Theme  *theme.Theme                  // the colours; nil for dark or light, as the terminal is
	Themes func() ([]theme.Theme, error) // reads all themes, without those of the error; may be nil

	Motion  status.Motion // animation of the status row; "" means full
	Title   bool          // the window's title shows whether aloud is ready, working or waiting for you
	NoMouse bool          // leaves the mouse to the terminal
	Notify  bool          // notifications while the terminal does not have the focus

	Drawn func() // called once the first frame has been drawn; may be nil

	shell *screen.Shell // set by Run
}

// rowsAtExit is the number of rows of the conversation to print to the normal screen.
const rowsAtExit = 5000

// Run shows the chat until you leave, then prints the conversation to the normal screen. The error is a *Moved if you
// chose another place for models.
// Standard input and output must be terminals.
func Run(ctx context.Context, o Options) error {
	var end func()
	o.shell, end = screen.NewShell()
	defer end()
	t := screen.Standard()
	return run(ctx, o, &colorprofile.Writer{Forward: t.Out, Profile: t.Colors}, t, func(*screen.Program) {})
}

// run is Run in any terminal, with a writer for the text printed at the end. started gets the program before it runs.
func run(ctx context.Context, o Options, after io.Writer, t screen.Terminal, started func(*screen.Program)) error {
	m := newModel(o)
	p := screen.NewProgram(m, t)
	p.Drawn = o.Drawn
	started(p)
	err := p.Run(ctx)
	if errors.Is(err, tea.ErrInterrupted) || errors.Is(err, tea.ErrProgramKilled) && !errors.Is(err, tea.ErrProgramPanic) {
		err = nil // stopped by a signal or ctx
	}
	if m.talk.busy() {
		cancelled, cancel := context.WithCancel(ctx)
		cancel()
		m.talk.turn.run(cancelled) // saves your message if the program ended before the turn began
		m.scribe.End()
		m.transcript.Ended(event.Result{Stop: event.StopOf(ctx)})
	}
	session := m.talk.saved()
	err = errors.Join(err, m.talk.chat.Close(), m.transcript.Dump(after, rowsAtExit))
	if m.models.moved != nil {
		m.prompt.PutBack(m.talk.queue.takeAll()...)
		m.models.moved.Draft, m.models.moved.Session = m.prompt.Take(), session
		return errors.Join(err, m.models.moved)
	}
	if session != "" {
		fmt.Fprintf(after, "\nTo continue: aloud --resume %s\n", session)
	}
	return err
}
