// Package cause takes the reason out of the error of a file: the sentence around it names the path, and the name of the
// system call helps no one.
package cause

import (
	"errors"
	"io/fs"
	"os"
)

// Of returns the cause of an error of a file: "permission denied" of "open notes.txt: permission denied". It returns any
// other error as it is.
func Of(err error) error {
	if path, ok := errors.AsType[*fs.PathError](err); ok {
		return path.Err
	}
	if link, ok := errors.AsType[*os.LinkError](err); ok {
		return link.Err
	}
	return err
}
