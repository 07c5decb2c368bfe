package screen

import (
	"context"
	"io"
	"os"
	"sync/atomic"
	"time"

	tea "charm.land/bubbletea/v2"
)

// Shell is the job control of the shell that started the program; nil means that there is none.
//
// Bubble Tea's own suspend waits for ever for a shell that is not there, and gives no chance to restore the window's
// title. This one releases the terminal as for a pager, and also notices that the program was stopped and continued
// from outside.
type Shell struct {
	Title     bool           // the chat sets the window's title
	Continued chan os.Signal // gets a value when the program is continued
	Alone     func() bool    // reports whether no shell would continue the program
	Stop      func() error   // stops the program's process group

	suspended atomic.Pointer[suspension]
}

// suspension is a tea.ExecCommand that lasts until the program is continued.
type suspension struct {
	shell *Shell
	ctx   context.Context
	pause func() (resume func())
	out   io.Writer
	over  chan struct{} // closed when the program is continued
}

// ContinuedMsg says that the program was stopped and continued from outside: the terminal has to be taken back, see
// Retake.
type ContinuedMsg struct{}

// Unheeded is how long to wait after a stop that had no effect.
const Unheeded = time.Second

// settle is how long the terminal is released at least. Bubble Tea's renderer stops its ticker only after it has said
// that it ended: a new one that is started before that never draws.
const settle = 50 * time.Millisecond

// Suspend is a command that stops the program until the shell continues it. pause stops the clocks meanwhile.
func (s *Shell) Suspend(ctx context.Context, pause func() (resume func())) tea.Cmd {
	if s == nil || s.Alone() {
		return func() tea.Msg { return Flash{"There is no shell to go back to"} }
	}
	return tea.Exec(&suspension{shell: s, ctx: ctx, pause: pause, over: make(chan struct{})}, func(err error) tea.Msg {
		if err != nil {
			return Flash{err.Error()}
		}
		return tea.ResumeMsg{}
	})
}

// Retake is a command that sets up the terminal and draws everything.
func Retake() tea.Cmd {
	return tea.Exec(&suspension{}, func(error) tea.Msg { return tea.ResumeMsg{} })
}

// Await is a command that waits until the program is continued from outside.
func (s *Shell) Await(ctx context.Context) tea.Cmd {
	if s == nil {
		return nil
	}
	return func() tea.Msg {
		for {
			select {
			case <-s.Continued:
				own := s.suspended.Swap(nil)
				if own == nil {
					return ContinuedMsg{}
				}
				close(own.over)
			case <-ctx.Done():
				return nil
			}
		}
	}
}

// SetStdin does nothing: the shell has the terminal itself.
func (v *suspension) SetStdin(io.Reader)    {}
func (v *suspension) SetStdout(w io.Writer) { v.out = w }

// SetStderr does nothing: nothing is written there.
func (v *suspension) SetStderr(io.Writer) {}

// Run stops the program until it is continued.
func (v *suspension) Run() error {
	time.Sleep(settle)
	s := v.shell
	if s == nil {
		return nil
	}
	if s.Title {
		RestoreTitle(v.out)
		defer SaveTitle(v.out)
	}
	defer v.pause()()
	s.suspended.Store(v)
	defer s.suspended.CompareAndSwap(v, nil)
	if err := s.Stop(); err != nil {
		return err
	}
	timer := time.NewTimer(Unheeded)
	defer timer.Stop()
	select {
	case <-v.over:
	case <-timer.C:
	case <-v.ctx.Done():
	}
	return nil
}
