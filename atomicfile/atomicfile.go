// Package atomicfile writes small files so that a reader, another aloud or a crash sees the old text or the new one, and nothing between.
package atomicfile

import (
	"errors"
	"os"
	"path/filepath"
)

// Write makes data the content of the file at path, in one step. A new file can be read by its owner only, and so can a folder that has to be
// made for it; a file that is there keeps its permissions. A symbolic link stays, and its target is replaced.
func Write(path string, data []byte) error {
	if target, err := filepath.EvalSymlinks(path); err == nil {
		path = target
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
	defer os.Remove(tmp.Name()) // of what failed
	_, err = tmp.Write(data)
	if err = errors.Join(err, tmp.Chmod(mode), tmp.Sync(), tmp.Close()); err != nil {
		return err
	}
	return os.Rename(tmp.Name(), path)
}
