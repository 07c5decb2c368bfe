//go:build unix

package badserver

import (
	"os/exec"
	"syscall"
)

// leave takes a child out of the group and session of its parent.
func leave(cmd *exec.Cmd) { cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true} }
