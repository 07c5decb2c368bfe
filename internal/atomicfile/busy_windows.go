package atomicfile

import (
	"errors"
	"time"

	"golang.org/x/sys/windows"
)

// patiently repeats a file operation for at most a second while another program reads or replaces the file, because
// Windows refuses it meanwhile.
func patiently(do func() error) error {
	for start := time.Now(); ; time.Sleep(time.Millisecond) {
		err := do()
		busy := errors.Is(err, windows.ERROR_ACCESS_DENIED) || errors.Is(err, windows.ERROR_SHARING_VIOLATION)
		if !busy || time.Since(start) > time.Second {
			return err
		}
	}
}
