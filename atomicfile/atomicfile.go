// Package atomicfile writes small files atomically: readers see either the old or the new content, even after a crash.
package atomicfile

import (
	"crypto/rand"
	"errors"
	"os"
	"path"
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
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return err
	}
	root, err := os.OpenRoot(filepath.Dir(path))
	if err != nil {
		return err
	}
	defer root.Close()
	return WriteIn(root, filepath.Base(path), data, 0o600)
}

// WriteIn replaces the content of a file in root, whose folder exists. A missing file gets the mode, except the bits of
// the umask. An existing file keeps its mode. WriteIn replaces symbolic links.
func WriteIn(root *os.Root, name string, data []byte, mode os.FileMode) (err error) {
	info, err := root.Lstat(name)
	exists := err == nil && info.Mode().IsRegular()
	if exists {
		mode = info.Mode().Perm()
	}
	draft := path.Join(path.Dir(filepath.ToSlash(name)), ".aloud-"+rand.Text())
	file, err := root.OpenFile(draft, os.O_WRONLY|os.O_CREATE|os.O_EXCL, mode)
	if err != nil {
		return err
	}
	defer func() {
		if err != nil {
			_ = root.Remove(draft)
		}
	}()
	_, err = file.Write(data)
	if exists {
		err = errors.Join(err, file.Chmod(mode)) // undo the umask
	}
	if err = errors.Join(err, file.Sync(), file.Close()); err != nil {
		return err
	}
	return root.Rename(draft, name)
}

func isLink(path string) bool {
	info, err := os.Lstat(path)
	return err == nil && info.Mode()&os.ModeSymlink != 0
}
