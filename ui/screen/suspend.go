package screen

import (
	"context"
	"os"
	"sync/atomic"
	"time"

	tea "charm.land/bubbletea/v2"
)

// Shell is the job control of the shell that started the program; nil means no job control.
//
// Bubble Tea's own suspend waits forever if no shell continues the program, and does not notice that the program was
// stopped and continued from outside.
type Shell struct {
	Continued chan os.Signal // receives a value when the program is continued
	Alone     func() bool    // reports whether no shell would continue the program
	Stop      func() error   // stops the program's process group

	suspended atomic.Pointer[chan struct{}] // closed when the program is continued; nil unless suspended
}

// ContinuedMsg reports that the program was stopped and continued from outside. The terminal must be set up again, see
// Retake.
type ContinuedMsg struct{}

// Unheeded is how long to wait after a stop that had no effect.
const Unheeded = time.Second

// Suspend returns a command that stops the program until the shell continues it. pause stops the clocks meanwhile.
func (s *Shell) Suspend(pause func() (resume func())) tea.Cmd {
	if s == nil || s.Alone() {
		return ShowFlash("No shell to return to")
	}
	return Release(func() error {
		defer pause()()
		return s.suspend()
	}, resumed)
}

// Retake returns a command that sets up the terminal and draws everything.
func Retake() tea.Cmd { return Release(func() error { return nil }, resumed) }

func resumed(err error) tea.Msg {
	if err != nil {
		return Flash{err.Error()}
	}
	return tea.ResumeMsg{}
}

// suspend stops the program and returns when it is continued.
func (s *Shell) suspend() error {
	over := make(chan struct{})
	s.suspended.Store(&over)
	defer s.suspended.CompareAndSwap(&over, nil)
	if err := s.Stop(); err != nil {
		return err
	}
	timer := time.NewTimer(Unheeded)
	defer timer.Stop()
	select {
	case <-over:
	case <-timer.C:
	}
	return nil
}

// Watch returns a command that reports whenever the program is continued from outside.
func (s *Shell) Watch() tea.Cmd {
	if s == nil {
		return nil
	}
	return Go(func(ctx context.Context, send func(tea.Msg)) {
		for {
			select {
			case <-s.Continued:
				if own := s.suspended.Swap(nil); own != nil {
					close(*own)
				} else {
					send(ContinuedMsg{})
				}
			case <-ctx.Done():
				return
			}
		}
	})
}
