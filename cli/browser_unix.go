//go:build unix

package cli

import (
	"os/exec"
	"syscall"
)

// detach takes the command away from our terminal: ctrl+c there is not meant for the browser.
func detach(program *exec.Cmd) { program.SysProcAttr = &syscall.SysProcAttr{Setsid: true} }
