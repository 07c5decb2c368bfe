package ollama

import (
	"os/exec"
	"strconv"
	"syscall"
)

// ownGroup keeps ctrl+c in the terminal away from the server: it is meant for aloud.
func ownGroup(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{CreationFlags: syscall.CREATE_NEW_PROCESS_GROUP}
}

// terminate ends the server with its children; a console program without a window cannot be asked more politely.
func terminate(cmd *exec.Cmd) error {
	return exec.Command("taskkill", "/T", "/F", "/PID", strconv.Itoa(cmd.Process.Pid)).Run()
}

// killRest has nothing to do: the children ended with the server.
func killRest(*exec.Cmd) {}
