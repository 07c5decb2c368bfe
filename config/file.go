package config

import (
	_ "embed"
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

// readFile returns the text of the file. The error is an *Error.
func readFile(path string) ([]byte, error) {
	if path == os.DevNull {
		return nil, nil
	}
	text, err := readRegular(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		text := fmt.Sprintf("configuration file %q does not exist. Create one with: aloud config init", path)
		return nil, &Error{Text: text, Err: err}
	case err != nil:
		return nil, fileError("read", path, err)
	}
	return text, nil
}

// readRegular returns the text of a file. It refuses pipes, because opening one may block forever.
func readRegular(path string) ([]byte, error) {
	info, err := os.Stat(path)
	if err == nil && !info.Mode().IsRegular() {
		err = errors.New("it is not a regular file")
	}
	if err != nil {
		return nil, err
	}
	return atomicfile.Read(path)
}

// Template is a file that describes every key, with all keys commented out.
//
//go:embed template.toml
var Template string

// Init writes Template to a new file at path with mode 0600.
func Init(path string) error {
	if _, err := os.Lstat(path); err == nil {
		return fmt.Errorf("%q already exists. Check it with: aloud config check", path)
	}
	if err := atomicfile.Write(path, []byte(Template)); err != nil {
		return fileError("write", path, err)
	}
	return nil
}

// fileError returns the error of a file that cannot be read or written.
func fileError(verb, path string, err error) *Error {
	const text = "cannot %s configuration file %q: %v. Use another one with --config"
	return &Error{Text: fmt.Sprintf(text, verb, path, atomicfile.Cause(err)), Err: err}
}
