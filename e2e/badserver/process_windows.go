package badserver

import (
	"os/exec"
	"syscall"
)

// leave puts a child into its own process group.
func leave(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{CreationFlags: syscall.CREATE_NEW_PROCESS_GROUP}
}
