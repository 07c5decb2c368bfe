//go:build unix

package badserver

import (
	"os/exec"
	"syscall"
)

// leave puts a child into its own session.
func leave(cmd *exec.Cmd) { cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true} }
