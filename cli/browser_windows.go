package cli

import (
	"os/exec"
	"syscall"
)

// detach takes the command away from our console: ctrl+c there is not meant for the browser.
func detach(program *exec.Cmd) {
	program.SysProcAttr = &syscall.SysProcAttr{CreationFlags: syscall.CREATE_NEW_PROCESS_GROUP}
}
