package config

import (
	_ "embed"
	"fmt"
	"os"

	"github.com/aloudchat/aloud/atomicfile"
)

// Template is a file that explains every key, with all of them commented out.
//
//go:embed template.toml
var Template string

// Init writes Template to path, which no other user may read. A file that is there already is an error and stays as it
// is.
func Init(path string) error {
	if _, err := os.Lstat(path); err == nil {
		return fmt.Errorf("%q exists already and stays as it is; check it with: aloud config check", path)
	}
	if err := atomicfile.Write(path, []byte(Template)); err != nil {
		return unwritable(path, err)
	}
	return nil
}

func unwritable(path string, err error) error {
	return &Error{Text: fmt.Sprintf("the configuration file %q cannot be written: %v; change that, or name another with --config", path, atomicfile.Cause(err)), Err: err}
}
