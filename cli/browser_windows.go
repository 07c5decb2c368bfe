package cli

import (
	"os/exec"
	"syscall"
)

// detach starts a command outside the console, so that ctrl+c does not reach the browser.
func detach(program *exec.Cmd) {
	program.SysProcAttr = &syscall.SysProcAttr{CreationFlags: syscall.CREATE_NEW_PROCESS_GROUP}
}
