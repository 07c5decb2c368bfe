package config

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"syscall"

	"github.com/aloudchat/aloud/internal/atomicfile"
)

// find reads the file at path, or else the default file, which need not exist.
func find(path string, env Lookup) (string, []byte, error) {
	variable, _ := env("ALOUD_CONFIG")
	named := path != "" || variable != ""
	path, _ = Path(path, env) // "" without a home folder
	text, err := readFile(path)
	if !named && (errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.ENOTDIR)) { // ENOTDIR for HOME=/dev/null
		return path, nil, nil
	}
	return path, text, err
}

// readFile returns the text of the file. It refuses pipes, because opening one may block forever. The error is an
// *Error.
func readFile(path string) ([]byte, error) {
	info, err := os.Stat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		text := fmt.Sprintf("configuration file %q does not exist. Create one with: aloud config init", path)
		return nil, &Error{Text: text, Err: err}
	case err != nil:
		return nil, unreadable(path, err)
	case path == os.DevNull:
		return nil, nil
	case !info.Mode().IsRegular():
		return nil, unreadable(path, errors.New("it is not a regular file"))
	}
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, unreadable(path, err)
	}
	return text, nil
}

func unreadable(path string, err error) *Error {
	const text = "cannot read configuration file %q: %v. Use another one with --config"
	return &Error{Text: fmt.Sprintf(text, path, atomicfile.Cause(err)), Err: err}
}
