//go:build unix

package ui

import (
	"fmt"
	"os"
	"os/signal"

	"golang.org/x/sys/unix"
)

// newShell is the shell that the program was started from, and a function that ends listening for its signals.
func newShell(title bool) (s *shell, end func()) {
	s = &shell{title: title, continued: make(chan os.Signal, 1), alone: alone, stop: stop}
	signal.Notify(s.continued, unix.SIGCONT)
	return s, func() { signal.Stop(s.continued) }
}

// alone tells whether the program is nobody's job: a shell gives each of its jobs a group of its own, and is a parent in the same session.
// The first program in a terminal leads session and group, and the system does not even stop it.
func alone() bool {
	own, err := unix.Getsid(0)
	if err != nil || own == unix.Getpgrp() {
		return true
	}
	parent := unix.Getppid()
	if parent == 0 { // outside of the container, where nobody is asked about it
		return true
	}
	session, err := unix.Getsid(parent)
	return err != nil || session != own
}

// stop is what the terminal does at ctrl+z where a program leaves that to it: all of the group stops, and so the shell notices.
func stop() error {
	if err := unix.Kill(0, unix.SIGTSTP); err != nil {
		return fmt.Errorf("the program cannot be stopped: %w", err)
	}
	return nil
}
