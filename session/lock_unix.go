//go:build !windows

package session

import (
	"errors"
	"os"

	"golang.org/x/sys/unix"
)

// lock keeps other processes from writing f until f is closed or this process ends, however it ends.
func lock(f *os.File) error {
	err := unix.Flock(int(f.Fd()), unix.LOCK_EX|unix.LOCK_NB)
	if errors.Is(err, unix.EWOULDBLOCK) {
		return ErrInUse
	}
	return err
}
