//go:build !windows

package session

import (
	"errors"
	"os"

	"golang.org/x/sys/unix"
)

// lock locks f until it is closed or this process ends. It returns ErrInUse if another process has the lock.
func lock(f *os.File) error {
	err := unix.Flock(int(f.Fd()), unix.LOCK_EX|unix.LOCK_NB)
	if errors.Is(err, unix.EWOULDBLOCK) {
		return ErrInUse
	}
	return err
}
