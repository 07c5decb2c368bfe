//go:build unix

package ollama

import (
	"errors"
	"os/exec"
	"syscall"
)

// ownGroup puts the server into a process group of its own: ctrl+c in the terminal is meant for aloud, and the server's children go with it.
func ownGroup(cmd *exec.Cmd) { cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} }

func terminate(cmd *exec.Cmd) error { return signalGroup(cmd, syscall.SIGTERM) }

func kill(cmd *exec.Cmd) error { return signalGroup(cmd, syscall.SIGKILL) }

func signalGroup(cmd *exec.Cmd, signal syscall.Signal) error {
	if err := syscall.Kill(-cmd.Process.Pid, signal); !errors.Is(err, syscall.ESRCH) {
		return err
	}
	return nil
}
