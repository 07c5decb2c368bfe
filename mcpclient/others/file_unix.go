//go:build unix

package others

import (
	"errors"
	"syscall"
)

// nonblocking opens a named pipe without waiting for who writes it.
const nonblocking = syscall.O_NONBLOCK

// notAFolder is what the system says when a part of a path is a file.
func notAFolder(err error) bool { return errors.Is(err, syscall.ENOTDIR) }
