package session

import (
	"errors"
	"os"

	"golang.org/x/sys/windows"
)

// lock locks f until it is closed or this process ends. It returns ErrInUse if another process has the lock.
// On Windows a lock also prevents reading, so it locks one byte far beyond the end of the file.
func lock(f *os.File) error {
	far := &windows.Overlapped{OffsetHigh: 1 << 30}
	const flags = windows.LOCKFILE_EXCLUSIVE_LOCK | windows.LOCKFILE_FAIL_IMMEDIATELY
	err := windows.LockFileEx(windows.Handle(f.Fd()), flags, 0, 1, 0, far)
	if errors.Is(err, windows.ERROR_LOCK_VIOLATION) {
		return ErrInUse
	}
	return err
}
