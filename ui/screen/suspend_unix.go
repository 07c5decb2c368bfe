//go:build unix

package screen

import (
	"fmt"
	"os"
	"os/signal"

	"golang.org/x/sys/unix"
)

// NewShell returns the job control of the shell, and a function that releases it.
func NewShell() (s *Shell, end func()) {
	s = &Shell{Continued: make(chan os.Signal, 1), Alone: alone, Stop: stop}
	signal.Notify(s.Continued, unix.SIGCONT)
	return s, func() { signal.Stop(s.Continued) }
}

// alone reports whether the program is not a job of a shell. A shell gives each of its jobs a process group, and is a
// parent in the same session. The first program in a terminal leads session and group, and the system does not stop it.
func alone() bool {
	own, err := unix.Getsid(0)
	if err != nil || own == unix.Getpgrp() {
		return true
	}
	parent := unix.Getppid()
	if parent == 0 { // outside of the container
		return true
	}
	session, err := unix.Getsid(parent)
	return err != nil || session != own
}

// stop stops the whole group, as the terminal does at ctrl+z for other programs, so that the shell notices.
func stop() error {
	if err := unix.Kill(0, unix.SIGTSTP); err != nil {
		return fmt.Errorf("cannot suspend aloud: %w", err)
	}
	return nil
}
