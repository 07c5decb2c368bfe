// Package atomicfile writes small files so that a reader, another aloud or a crash sees the old text or the new one, and nothing between.
package atomicfile

import (
	"errors"
	"os"
	"path/filepath"
)

// Write makes data the content of the file at path, in one step. A new file, and a folder made for it, can be read by
// their owner only; an existing file keeps its permissions. A symbolic link stays, and its target is replaced.
func Write(path string, data []byte) error {
	switch target, err := filepath.EvalSymlinks(path); {
	case err == nil:
		path = target
	case isLink(path):
		return err // its target is missing
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
	defer os.Remove(tmp.Name()) // if anything below fails
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
