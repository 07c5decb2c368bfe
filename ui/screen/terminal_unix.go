//go:build unix

package screen

import (
	"io"
	"os"
	"os/signal"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/term"
	"golang.org/x/sys/unix"
)

// raw makes a terminal report each key, and returns a function that undoes that. Both do nothing if the file is not a
// terminal.
func raw(in io.Reader, _ io.Writer) (restore func() error, err error) {
	f, ok := in.(term.File)
	if !ok || !term.IsTerminal(f.Fd()) {
		return func() error { return nil }, nil
	}
	state, err := term.MakeRaw(f.Fd())
	if err != nil {
		return nil, err
	}
	return func() error { return term.Restore(f.Fd(), state) }, nil
}

// watchSize sends the size of a terminal when it may have changed, until end is called. No signal reports changes while
// the program was suspended.
func watchSize(out io.Writer, send func(tea.Msg)) (end func()) {
	f, ok := out.(term.File)
	if !ok {
		return func() {}
	}
	resized := make(chan os.Signal, 1)
	signal.Notify(resized, unix.SIGWINCH, unix.SIGCONT)
	over := make(chan struct{})
	go func() {
		defer close(over)
		for range resized {
			if width, height, err := term.GetSize(f.Fd()); err == nil {
				send(tea.WindowSizeMsg{Width: width, Height: height})
			}
		}
	}()
	return func() {
		signal.Stop(resized)
		close(resized)
		<-over
	}
}
