// Package cause takes the reason out of the error of a file. The sentence around it names the path in its own way, and the name of the system call
// tells a person nothing.
package cause

import (
	"errors"
	"io/fs"
	"os"
)

// Of is the cause of an error of a file: of "open notes.txt: permission denied" it is "permission denied". Any other err stays as it is.
func Of(err error) error {
	if path, ok := errors.AsType[*fs.PathError](err); ok {
		return path.Err
	}
	if link, ok := errors.AsType[*os.LinkError](err); ok {
		return link.Err
	}
	return err
}
