//go:build unix

package cli

import (
	"errors"
	"os"
	"os/exec"
	"syscall"

	"golang.org/x/sys/unix"
)

// enableEscapes is for Windows.
func enableEscapes() {}

// isClosedPipe reports whether a write failed because the reader has closed the pipe.
func isClosedPipe(err error) bool { return errors.Is(err, syscall.EPIPE) }

// detach starts a command outside the terminal, so that ctrl+c does not reach the browser.
func detach(program *exec.Cmd) { program.SysProcAttr = &syscall.SysProcAttr{Setsid: true} }

// inForeground reports whether the program may change its terminal, which would suspend a job in the background.
func inForeground() bool {
	group, err := unix.IoctlGetInt(int(os.Stdin.Fd()), unix.TIOCGPGRP)
	return err == nil && group == unix.Getpgrp()
}
