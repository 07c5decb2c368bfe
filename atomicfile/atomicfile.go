// Package atomicfile writes small files atomically: readers see either the old or the new content, even after a crash.
package atomicfile

import (
	"errors"
	"os"
	"path/filepath"
)

// Write replaces the content of the file at path. It creates missing folders with mode 0700 and a missing file with
// mode 0600. An existing file keeps its mode. Write follows symbolic links.
func Write(path string, data []byte) error {
	switch target, err := filepath.EvalSymlinks(path); {
	case err == nil:
		path = target
	case isLink(path):
		return err // the target is missing
	}
	mode := os.FileMode(0o600)
	if info, err := os.Stat(path); err == nil {
		mode = info.Mode().Perm()
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return err
	}
	tmp, err := os.CreateTemp(filepath.Dir(path), ".aloud-*")
	if err != nil {
		return err
	}
	defer os.Remove(tmp.Name()) // after an error below
	_, err = tmp.Write(data)
	if err = errors.Join(err, tmp.Chmod(mode), tmp.Sync(), tmp.Close()); err != nil {
		return err
	}
	return os.Rename(tmp.Name(), path)
}

func isLink(path string) bool {
	info, err := os.Lstat(path)
	return err == nil && info.Mode()&os.ModeSymlink != 0
}
