package config

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"syscall"

	"github.com/aloudchat/aloud/atomicfile"
)

// find reads the file at path, or the one that is used when none is named. Only that one need not exist.
func find(path string, env func(string) (string, bool)) (string, []byte, error) {
	variable, _ := env("ALOUD_CONFIG")
	named := path != "" || variable != ""
	if path == "" {
		path, _ = Path(env) // "": without a home folder there is no file either
	}
	text, err := readFile(path)
	if !named && (errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.ENOTDIR)) { // HOME=/dev/null has no files either
		return path, nil, nil
	}
	return path, text, err
}

// largest is what the file may have, in bytes.
const largest = 1 << 20

// readFile returns the text of the file. Pipes are refused: aloud would wait for one, and it is empty when read again.
// The error is an *Error.
func readFile(path string) ([]byte, error) {
	info, err := os.Stat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, &Error{Text: fmt.Sprintf("there is no configuration file %q; make one with: aloud config init", path), Err: err}
	case err != nil:
		return nil, unreadable(path, err)
	case path == os.DevNull:
		return nil, nil
	case !info.Mode().IsRegular():
		return nil, unreadable(path, errNoFile)
	case info.Size() > largest:
		return nil, tooLarge(path)
	}
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, unreadable(path, err)
	}
	return text, nil
}

func tooLarge(path string) *Error {
	return &Error{File: path, Text: "the file is larger than 1 MiB, which no configuration is"}
}

var errNoFile = errors.New("it is a folder, a pipe or a device")

func unreadable(path string, err error) *Error {
	return &Error{Text: fmt.Sprintf("the configuration file %q cannot be read: %v; change that, or name another with --config", path, atomicfile.Cause(err)), Err: err}
}
