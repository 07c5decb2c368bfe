//go:build unix

package ollama

import (
	"errors"
	"os/exec"
	"syscall"
)

// ownGroup puts the server into a process group of its own: ctrl+c in the terminal is meant for aloud, and the
// server's children go with it.
func ownGroup(cmd *exec.Cmd) { cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} }

// terminate asks the server and its children to end.
func terminate(cmd *exec.Cmd) error {
	if err := syscall.Kill(-cmd.Process.Pid, syscall.SIGTERM); !errors.Is(err, syscall.ESRCH) {
		return err
	}
	return nil
}

// killRest ends the children that outlived the server.
func killRest(cmd *exec.Cmd) { _ = syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
