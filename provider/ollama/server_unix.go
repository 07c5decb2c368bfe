//go:build unix

package ollama

import (
	"errors"
	"os/exec"
	"syscall"
)

// ownGroup puts the server in its own process group, so that ctrl+c does not reach it and its children can be stopped
// with it.
func ownGroup(cmd *exec.Cmd) { cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} }

// terminate asks the server and its children to exit.
func terminate(cmd *exec.Cmd) error {
	if err := syscall.Kill(-cmd.Process.Pid, syscall.SIGTERM); !errors.Is(err, syscall.ESRCH) {
		return err
	}
	return nil
}

// killRest kills children that outlived the server.
func killRest(cmd *exec.Cmd) { _ = syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
