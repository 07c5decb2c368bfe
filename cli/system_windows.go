package cli

import (
	"errors"
	"os/exec"
	"syscall"

	"golang.org/x/sys/windows"
)

// enableEscapes makes older Windows consoles understand escape sequences.
func enableEscapes() {
	for _, stream := range []windows.Handle{windows.Stdout, windows.Stderr} {
		var mode uint32
		if windows.GetConsoleMode(stream, &mode) == nil {
			_ = windows.SetConsoleMode(stream, mode|windows.ENABLE_VIRTUAL_TERMINAL_PROCESSING)
		}
	}
}

// isClosedPipe reports whether a write failed because the reader has closed the pipe. Windows has two errors for it.
func isClosedPipe(err error) bool {
	return errors.Is(err, windows.ERROR_NO_DATA) || errors.Is(err, windows.ERROR_BROKEN_PIPE)
}

// detach starts a command outside the console, so that ctrl+c does not reach the browser.
func detach(program *exec.Cmd) {
	program.SysProcAttr = &syscall.SysProcAttr{CreationFlags: syscall.CREATE_NEW_PROCESS_GROUP}
}

// inForeground reports whether the program may change its terminal.
func inForeground() bool { return true }
