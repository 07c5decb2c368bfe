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

// fps is how often the renderer looks for changes. It bounds how soon a key is seen; looking costs little, but also
// while idle.
const fps = 60

// rowsAtExit is how much of the conversation is printed to the normal screen.
const rowsAtExit = 5000

// Run shows the chat until you leave, then prints the conversation to the normal screen.
// Standard input and output must be terminals.
func Run(ctx context.Context, o Options) error {
	titled := o.Title && runtime.GOOS != "windows" // which does not know escape sequences before the program begins
	if titled {
		screen.SaveTitle(os.Stdout)
		defer screen.RestoreTitle(os.Stdout)
	}
	var end func()
	o.shell, end = screen.NewShell(titled)
	defer end()
	return run(ctx, o, colorprofile.NewWriter(os.Stdout, os.Environ()), tea.WithInput(screen.Keyboard()))
}

// run is Run with a writer for what is printed at the end, and with options for the program.
func run(ctx context.Context, o Options, after io.Writer, opts ...tea.ProgramOption) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	m := newModel(ctx, o)
	// Signals end ctx. With its own handler the program could wait forever on the same signal.
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
