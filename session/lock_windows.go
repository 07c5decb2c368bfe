package session

import (
	"errors"
	"os"

	"golang.org/x/sys/windows"
)

// lock keeps other processes from writing f until f is closed or this process ends, however it ends.
// Windows would also keep them from reading what is locked, hence one byte is, far behind the end of any file.
func lock(f *os.File) error {
	far := &windows.Overlapped{OffsetHigh: 1 << 30}
	err := windows.LockFileEx(windows.Handle(f.Fd()), windows.LOCKFILE_EXCLUSIVE_LOCK|windows.LOCKFILE_FAIL_IMMEDIATELY, 0, 1, 0, far)
	if errors.Is(err, windows.ERROR_LOCK_VIOLATION) {
		return ErrInUse
	}
	return err
}
