package screen

import (
	"errors"
	"io"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/term"
	"golang.org/x/sys/windows"
)

// raw makes the console report each key and understand escape sequences, and returns a function that undoes that.
func raw(in io.Reader, out io.Writer) (restore func() error, err error) {
	restores := []func() error{}
	restore = func() error {
		var errs []error
		for _, undo := range restores {
			errs = append(errs, undo())
		}
		return errors.Join(errs...)
	}
	for _, c := range []struct {
		file  any
		raw   func(uintptr) (*term.State, error)
		modes uint32
	}{
		{in, term.MakeRaw, windows.ENABLE_VIRTUAL_TERMINAL_INPUT},
		{out, term.GetState, windows.ENABLE_VIRTUAL_TERMINAL_PROCESSING | windows.DISABLE_NEWLINE_AUTO_RETURN},
	} {
		f, ok := c.file.(term.File)
		if !ok || !term.IsTerminal(f.Fd()) {
			continue
		}
		state, err := c.raw(f.Fd())
		if err != nil {
			return nil, errors.Join(err, restore())
		}
		restores = append(restores, func() error { return term.Restore(f.Fd(), state) })
		var mode uint32
		console := windows.Handle(f.Fd())
		if err := windows.GetConsoleMode(console, &mode); err != nil {
			return nil, errors.Join(err, restore())
		}
		if err := windows.SetConsoleMode(console, mode|c.modes); err != nil {
			return nil, errors.Join(err, restore())
		}
	}
	return restore, nil
}

// watchSize does nothing: the console reports its size among the keys.
func watchSize(io.Writer, func(tea.Msg)) (end func()) { return func() {} }
