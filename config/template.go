package config

import (
	"cmp"
	_ "embed"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/aloudchat/aloud/atomicfile"
)

// Template is a file that explains every key, with all of them commented out.
//
//go:embed template.toml
var Template string

// Init writes Template to path, which no other user may read. A file that is there already is an error and stays as it
// is.
func Init(path string) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return unwritable(path, err)
	}
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if errors.Is(err, fs.ErrExist) {
		return fmt.Errorf("%q exists already and stays as it is; check it with: aloud config check", path)
	}
	if err != nil {
		return unwritable(path, err)
	}
	_, err = f.WriteString(Template)
	if err = cmp.Or(err, f.Close()); err != nil {
		_ = os.Remove(path) // half a file would be there already the next time
		return unwritable(path, err)
	}
	return nil
}

func unwritable(path string, err error) error {
	return &Error{Text: fmt.Sprintf("the configuration file %q cannot be written: %v; change that, or name another with --config", path, atomicfile.Cause(err)), Err: err}
}
