//go:build unix

package cli

import (
	"errors"
	"os/exec"
	"syscall"
)

// enableEscapes is for Windows.
func enableEscapes() {}

// isClosedPipe reports whether a write failed because the reader has closed the pipe.
func isClosedPipe(err error) bool { return errors.Is(err, syscall.EPIPE) }

// detach starts a command outside the terminal, so that ctrl+c does not reach the browser.
func detach(program *exec.Cmd) { program.SysProcAttr = &syscall.SysProcAttr{Setsid: true} }
