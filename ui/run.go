package ui

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"runtime"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/colorprofile"

	"github.com/aloudchat/aloud/provider"
	"github.com/aloudchat/aloud/ui/screen"
)

// fps is how often the renderer looks for something new: a key waits for half of that until it is seen. Looking takes a third of a second of
// a core in a minute, also while there is nothing new.
const fps = 60

// rowsAtExit is how much of the conversation is left on the normal screen.
const rowsAtExit = 5000

// Run shows the chat until you leave, then prints the conversation to the normal screen.
// Standard input and output must be terminals.
func Run(ctx context.Context, o Options) error {
	titled := o.Title && runtime.GOOS != "windows" // where sequences are not understood before the program begins
	if titled {
		screen.SaveTitle(os.Stdout)
		defer screen.RestoreTitle(os.Stdout)
	}
	var end func()
	o.shell, end = screen.NewShell(titled)
	defer end()
	return run(ctx, o, colorprofile.NewWriter(os.Stdout, os.Environ()), tea.WithInput(screen.Keyboard()))
}

// run is Run with the place for what is printed at the end, and with options for the program.
func run(ctx context.Context, o Options, after io.Writer, opts ...tea.ProgramOption) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	m := newModel(ctx, o)
	// Signals end ctx. With a handler of its own the program may wait for ever for someone to take the message about the same signal.
	_, err := tea.NewProgram(m, append(opts, tea.WithContext(ctx), tea.WithFPS(fps), tea.WithoutSignalHandler())...).Run()
	cancel()
	if errors.Is(err, tea.ErrInterrupted) || errors.Is(err, tea.ErrProgramKilled) && !errors.Is(err, tea.ErrProgramPanic) {
		err = nil // asked to leave from outside
	}
	back := m.talk.wayBack(m.options)
	if m.talk.busy() {
		m.scribe.End()
		m.transcript.Ended(provider.Result{Stop: provider.Stop{Reason: provider.Cancelled}})
	}
	err = errors.Join(err, m.talk.quit(o.Recorder), m.transcript.Dump(after, rowsAtExit))
	if back != "" {
		fmt.Fprintf(after, "\nTo go on: %s\n", back)
	}
	return err
}
