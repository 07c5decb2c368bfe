package ui

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"runtime/debug"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/colorprofile"

	"github.com/aloudchat/aloud/provider/event"
	"github.com/aloudchat/aloud/ui/screen"
)

// rowsAtExit is the number of rows of the conversation to print to the normal screen.
const rowsAtExit = 5000

// garbage is the memory that may be unused before it is collected, in percent of the memory in use. Half of Go's
// default costs a few percent of the time: most of the memory of a chat is the conversation, which is text and quick
// to scan.
const garbage = 50

// Run shows the chat until you leave, then prints the conversation to the normal screen.
// Standard input and output must be terminals.
func Run(ctx context.Context, o Options) error {
	debug.SetGCPercent(garbage)
	var end func()
	o.shell, end = screen.NewShell()
	defer end()
	return run(ctx, o, colorprofile.NewWriter(os.Stdout, os.Environ()), screen.Standard(), func(*screen.Program) {})
}

// run is Run in any terminal, with a writer for the text printed at the end. started gets the program before it runs.
func run(ctx context.Context, o Options, after io.Writer, t screen.Terminal, started func(*screen.Program)) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	m := newModel(ctx, o)
	p := screen.NewProgram(m, t)
	p.Drawn = o.Drawn
	started(p)
	err := p.Run(ctx)
	cancel()
	if errors.Is(err, tea.ErrInterrupted) || errors.Is(err, tea.ErrProgramKilled) && !errors.Is(err, tea.ErrProgramPanic) {
		err = nil // stopped by a signal or ctx
	}
	back := m.talk.wayBack()
	if m.talk.busy() {
		m.scribe.End()
		m.transcript.Ended(event.Result{Stop: event.StopOf(ctx)})
	}
	err = errors.Join(err, m.talk.quit(o.Recorder), m.transcript.Dump(after, rowsAtExit))
	if back != "" {
		fmt.Fprintf(after, "\nTo continue: %s\n", back)
	}
	return err
}
