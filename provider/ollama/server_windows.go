package ollama

import (
	"os/exec"
	"strconv"
	"syscall"
)

// ownGroup puts the server in its own process group, so that ctrl+c does not reach it.
func ownGroup(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{CreationFlags: syscall.CREATE_NEW_PROCESS_GROUP}
}

// terminate kills the server and its children. Windows cannot ask a console program without a window to exit.
func terminate(cmd *exec.Cmd) error {
	return exec.Command("taskkill", "/T", "/F", "/PID", strconv.Itoa(cmd.Process.Pid)).Run()
}

// killRest does nothing: terminate also kills the children.
func killRest(*exec.Cmd) {}
