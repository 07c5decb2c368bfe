// Package atomicfile writes small files so that a reader, another aloud or a crash sees the old text or the new one, and nothing between.
package atomicfile

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"time"
)

// Write makes data the content of the file at path, in one step. A new file can be read by its owner only, and so can a folder that has to be
// made for it; a file that is there keeps its permissions. A symbolic link stays, and its target is replaced,
// or made where there is none yet.
func Write(path string, data []byte) error {
	path, err := target(path)
	if err != nil {
		return err
	}
	mode := os.FileMode(0o600)
	if info, err := os.Stat(path); err == nil {
		mode = info.Mode().Perm()
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return err
	}
	removeDrafts(filepath.Dir(path))
	tmp, err := os.CreateTemp(filepath.Dir(path), draft+"*")
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

// draft begins the name of a file that is not whole yet; digits follow.
const draft = ".aloud-"

// removeDrafts removes what a crash has left in a folder. A draft is written within a moment: those of today may be another aloud's.
func removeDrafts(folder string) {
	entries, _ := os.ReadDir(folder)
	for _, e := range entries {
		number, isDraft := strings.CutPrefix(e.Name(), draft)
		if !isDraft || number == "" || strings.Trim(number, "0123456789") != "" {
			continue
		}
		if info, err := e.Info(); err == nil && info.Mode().IsRegular() && time.Since(info.ModTime()) > 24*time.Hour {
			_ = os.Remove(filepath.Join(folder, e.Name()))
		}
	}
}

// target is the file that a path means in the end, whether or not it is there. Nothing is cleaned before its links are followed: two dots behind a
// link lead out of where that leads to.
func target(path string) (string, error) {
	const most = 40 // as many as Linux follows
	for range most {
		if full, err := filepath.EvalSymlinks(path); err == nil {
			return full, nil
		}
		folder, name := filepath.Split(path)
		next, err := os.Readlink(path)
		if err != nil { // no link: a new file
			return within(folder, name)
		}
		if !filepath.IsAbs(next) {
			next = folder + next
		}
		path = next
	}
	return "", &os.PathError{Op: "open", Path: path, Err: errors.New("its links lead to each other")}
}

// within is the file of a name in a folder, which ends with a separator and may have to be made as well.
func within(folder, name string) (string, error) {
	if len(folder) <= len(filepath.VolumeName(folder))+1 {
		return folder + name, nil
	}
	parent, err := target(folder[:len(folder)-1])
	if err != nil {
		return "", err
	}
	return filepath.Join(parent, name), nil
}
