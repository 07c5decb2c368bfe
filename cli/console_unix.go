//go:build unix

package cli

import (
	"errors"
	"syscall"
)

// enableEscapes is for Windows.
func enableEscapes() {}

// isClosedPipe reports whether a write failed because the reader has closed the pipe.
func isClosedPipe(err error) bool { return errors.Is(err, syscall.EPIPE) }
