package config

import (
	_ "embed"
	"fmt"
	"os"

	"github.com/aloudchat/aloud/internal/atomicfile"
)

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
		return unwritable(path, err)
	}
	return nil
}

func unwritable(path string, err error) error {
	const text = "cannot write configuration file %q: %v. Use another one with --config"
	return &Error{Text: fmt.Sprintf(text, path, atomicfile.Cause(err)), Err: err}
}
