package ui

import (
	"context"
	"io"
	"os"
	"sync/atomic"
	"time"

	tea "charm.land/bubbletea/v2"
)

// shell is where the program was started from, and where ctrl+z leads back to. nil is none.
//
// Bubble Tea's own way waits for ever for a shell that is not there, and gives no chance to put the window's title back. This one shows the
// shell in place of the chat as a pager is shown, and also notices that the program was stopped and continued from outside.
type shell struct {
	title     bool           // the window's title is ours while the chat is shown
	continued chan os.Signal // the program goes on after it was stopped
	alone     func() bool    // nobody would let the program go on if it stopped
	stop      func() error   // stops the program and those started with it, and returns when it may go on

	visit atomic.Pointer[visit] // the one that waits to be continued
}

// visit is a time in the shell. It is the tea.ExecCommand that lasts until the person comes back.
type visit struct {
	shell *shell
	ctx   context.Context
	out   io.Writer
	over  chan struct{} // closed when the program is continued
}

// continuedMsg says that the program was stopped and continued from outside: what is on the terminal, and how that is set, is not ours.
type continuedMsg struct{}

// unheeded is how long a stop that does nothing is waited for: nobody would ever continue a program that was never stopped.
const unheeded = time.Second

// settle is how long the chat is away at least. Bubble Tea's renderer stops its ticker only after it has said that it ended: one that is started
// anew before that never draws again.
const settle = 50 * time.Millisecond

// goThere is a command that goes to the shell.
func (s *shell) goThere(ctx context.Context) tea.Cmd {
	if s == nil || s.alone() {
		return reply(flashMsg{"There is no shell to go back to"})
	}
	return tea.Exec(&visit{shell: s, ctx: ctx, over: make(chan struct{})}, func(err error) tea.Msg {
		if err != nil {
			return flashMsg{sentence(err)}
		}
		return tea.ResumeMsg{}
	})
}

// retake is a command that sets the terminal and draws everything as if a pager were left.
func retake() tea.Cmd {
	return tea.Exec(nothing{}, func(error) tea.Msg { return tea.ResumeMsg{} })
}

// await waits until the program is continued. A visit that waits for it takes it, else the chat is told.
func (s *shell) await(ctx context.Context) tea.Cmd {
	if s == nil {
		return nil
	}
	return func() tea.Msg {
		for {
			select {
			case <-s.continued:
				v := s.visit.Swap(nil)
				if v == nil {
					return continuedMsg{}
				}
				close(v.over)
			case <-ctx.Done():
				return nil
			}
		}
	}
}

// SetStdin does nothing: the shell has the terminal itself.
func (v *visit) SetStdin(io.Reader)    {}
func (v *visit) SetStdout(w io.Writer) { v.out = w }

// SetStderr does nothing: nothing is said.
func (v *visit) SetStderr(io.Writer) {}

// Run stops the program until it is continued.
func (v *visit) Run() error {
	time.Sleep(settle)
	if v.shell.title {
		putTitleBack(v.out)
		defer keepTitle(v.out)
	}
	v.shell.visit.Store(v)
	defer v.shell.visit.CompareAndSwap(v, nil)
	if err := v.shell.stop(); err != nil {
		return err
	}
	timer := time.NewTimer(unheeded)
	defer timer.Stop()
	select {
	case <-v.over:
	case <-timer.C:
	case <-v.ctx.Done():
	}
	return nil
}

// nothing is a tea.ExecCommand that is over as soon as it may be.
type nothing struct{}

func (nothing) SetStdin(io.Reader)  {}
func (nothing) SetStdout(io.Writer) {}
func (nothing) SetStderr(io.Writer) {}

func (nothing) Run() error {
	time.Sleep(settle)
	return nil
}
