package badserver

import (
	"os/exec"
	"syscall"
)

// leave takes a child out of the group of its parent.
func leave(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{CreationFlags: syscall.CREATE_NEW_PROCESS_GROUP}
}
