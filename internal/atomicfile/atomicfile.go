// Package atomicfile writes small files atomically: readers see either the old or the new content, even after a crash.
// Only files with more than one name, or with an owner that a new file cannot have, are overwritten in place.
package atomicfile

import (
	"cmp"
	"crypto/rand"
	"errors"
	"os"
	"path"
	"path/filepath"
)

// Read returns the content of a file that other programs may replace at the same time.
func Read(path string) (data []byte, err error) {
	err = patiently(func() error {
		data, err = os.ReadFile(path)
		return err
	})
	return data, err
}

// Write replaces the content of the file at path. It creates missing folders with mode 0700 and a missing file with
// mode 0600. An existing file is treated as by WriteIn. Write follows symbolic links.
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
	return WriteIn(root, filepath.Base(path), data, 0o600, nil)
}

// WriteIn replaces the content of a file in root, whose folder exists. A missing file gets the mode, except the bits of
// the umask. An existing file must be writable, and keeps its owner, mode and hard links. WriteIn replaces symbolic
// links. If check is not nil, it is called right before the file changes, and its error prevents that.
func WriteIn(root *os.Root, name string, data []byte, mode os.FileMode, check func() error) (err error) {
	info, err := root.Lstat(name)
	exists := err == nil && info.Mode().IsRegular()
	if exists {
		mode = info.Mode() & (os.ModePerm | os.ModeSetuid | os.ModeSetgid)
	}
	draft := path.Join(path.Dir(filepath.ToSlash(name)), draftPrefix+rand.Text())
	file, err := root.OpenFile(draft, os.O_WRONLY|os.O_CREATE|os.O_EXCL, mode.Perm())
	if err != nil {
		return err
	}
	defer func() {
		if draft != "" {
			_ = root.Remove(draft)
		}
	}()
	replaces := true
	_, err = file.Write(data)
	if err == nil && exists {
		if replaces, err = canReplace(root, name, file); replaces {
			err = file.Chmod(mode) // undo the umask
		}
	}
	if err = errors.Join(err, file.Sync(), file.Close()); err != nil {
		return err
	}
	if check != nil {
		if err := check(); err != nil {
			return err
		}
	}
	if !replaces {
		return overwrite(root, name, data, mode)
	}
	if err = patiently(func() error { return root.Rename(draft, name) }); err == nil {
		draft = ""
	}
	return err
}

// canReplace gives a draft the owner of an existing file. It reports whether the draft can replace the file. It returns
// an error if the file is not writable.
func canReplace(root *os.Root, name string, draft *os.File) (bool, error) {
	file, err := OpenWritable(root, name)
	if err != nil {
		return false, err
	}
	defer file.Close()
	_, links, err := ID(file)
	return err == nil && links == 1 && setOwner(draft, file), err
}

// OpenWritable opens an existing file in root for writing. Its permissions also count for the superuser.
func OpenWritable(root *os.Root, name string) (*os.File, error) {
	file, err := root.OpenFile(name, os.O_WRONLY, 0)
	if err != nil {
		return nil, err
	}
	if info, err := file.Stat(); err != nil || info.Mode()&0o222 == 0 {
		file.Close()
		return nil, cmp.Or(err, error(&os.PathError{Op: "open", Path: name, Err: os.ErrPermission}))
	}
	return file, nil
}

// overwrite replaces the content of an existing file in place. If the disk is full, the file keeps its content.
func overwrite(root *os.Root, name string, data []byte, mode os.FileMode) error {
	file, err := OpenWritable(root, name)
	if err != nil {
		return err
	}
	defer file.Close()
	info, err := file.Stat()
	if err != nil {
		return err
	}
	shared := min(info.Size(), int64(len(data)))
	if _, err := file.WriteAt(data[shared:], shared); err != nil { // the only part that needs more space
		return errors.Join(err, file.Truncate(info.Size()))
	}
	_, err = file.WriteAt(data[:shared], 0)
	_ = file.Chmod(mode) // writing removes set-user-ID; only the owner can set it again
	return errors.Join(err, file.Truncate(int64(len(data))), file.Sync())
}

func isLink(path string) bool {
	info, err := os.Lstat(path)
	return err == nil && info.Mode()&os.ModeSymlink != 0
}
