package atomicfile

import (
	"errors"
	"io/fs"
	"os"
)

// Cause returns the cause of an error of a file: "permission denied" for "open notes.txt: permission denied". The
// sentence around it names the path. Any other error is returned as it is.
func Cause(err error) error {
	if path, ok := errors.AsType[*fs.PathError](err); ok {
		return path.Err
	}
	if link, ok := errors.AsType[*os.LinkError](err); ok {
		return link.Err
	}
	return err
}
