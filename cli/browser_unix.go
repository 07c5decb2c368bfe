//go:build unix

package cli

import (
	"os/exec"
	"syscall"
)

// detach starts a command outside the terminal, so that ctrl+c does not reach the browser.
func detach(program *exec.Cmd) { program.SysProcAttr = &syscall.SysProcAttr{Setsid: true} }
