package stdio

import (
	"os"
	"os/exec"
	"testing"

	"golang.org/x/sys/windows"
)

// Windows does not add a process that has exited to a job.
func TestServerThatExitsAtOnceHasStarted(t *testing.T) {
	server := exec.Command(os.Args[0])
	server.Env = environment("failing", "")
	must(t, server.Start())
	defer func() { _ = server.Wait() }()
	process, err := windows.OpenProcess(windows.SYNCHRONIZE, false, uint32(server.Process.Pid))
	must(t, err)
	defer func() { _ = windows.CloseHandle(process) }()
	_, err = windows.WaitForSingleObject(process, windows.INFINITE)
	must(t, err)
	tree, err := grow(server.Process, "")
	must(t, err)
	tree.release()
}
