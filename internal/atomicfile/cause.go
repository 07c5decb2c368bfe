package atomicfile

import (
	"errors"
	"io/fs"
	"os"
)

// Cause returns the cause of a file error, such as "permission denied" of "open notes.txt: permission denied", for
// messages that already name the path. It returns other errors unchanged.
func Cause(err error) error {
	if path, ok := errors.AsType[*fs.PathError](err); ok {
		return path.Err
	}
	if link, ok := errors.AsType[*os.LinkError](err); ok {
		return link.Err
	}
	return err
}
