package atomicfile_test

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/aloudchat/aloud/internal/atomicfile"
)

func TestWrite(t *testing.T) {
	file := filepath.Join(t.TempDir(), "new", "notes")
	write(t, file, "one")
	if runtime.GOOS != "windows" {
		if mode := stat(t, file).Mode().Perm(); mode != 0o600 {
			t.Errorf("a new file has mode %v", mode)
		}
		if mode := stat(t, filepath.Dir(file)).Mode().Perm(); mode != 0o700 {
			t.Errorf("a new folder has mode %v", mode)
		}
		must(t, os.Chmod(file, 0o640))
	}
	before := stat(t, file).Mode()
	write(t, file, "two")
	if after := stat(t, file).Mode(); after != before {
		t.Errorf("%v became %v", before, after)
	}
	alone(t, filepath.Dir(file))
}

func TestReadersAndWritersDoNotMeet(t *testing.T) {
	file := filepath.Join(t.TempDir(), "notes")
	texts := []string{strings.Repeat("a", 10_000), strings.Repeat("b", 20_000)}
	write(t, file, texts[0])
	var all sync.WaitGroup
	for _, text := range texts {
		all.Go(func() {
			for range 25 {
				if err := atomicfile.Write(file, []byte(text)); err != nil {
					t.Error(err)
				}
				if got, err := atomicfile.Read(file); err != nil || !slices.Contains(texts, string(got)) {
					t.Errorf("%d bytes were read, %v", len(got), err)
				}
			}
		})
	}
	all.Wait()
	alone(t, filepath.Dir(file))
}

func TestWriteFails(t *testing.T) {
	dir := t.TempDir()
	folder := filepath.Join(dir, "folder")
	must(t, os.MkdirAll(filepath.Join(folder, "full"), 0o700))
	if err := atomicfile.Write(folder, []byte("text")); err == nil {
		t.Error("a folder was replaced by a file")
	}
	alone(t, dir)
}

func TestWriteProtected(t *testing.T) {
	file := filepath.Join(t.TempDir(), "notes")
	write(t, file, "old")
	must(t, os.Chmod(file, 0o444))
	if err := atomicfile.Write(file, []byte("new")); !errors.Is(err, fs.ErrPermission) {
		t.Errorf("the error is %v", err)
	}
	if text, err := os.ReadFile(file); err != nil || string(text) != "old" {
		t.Errorf("the file has %q, %v", text, err)
	}
	alone(t, filepath.Dir(file))
}

func TestWriteKeepsHardLinks(t *testing.T) {
	dir := t.TempDir()
	one, other := filepath.Join(dir, "one"), filepath.Join(dir, "other")
	write(t, one, "a few words")
	must(t, os.Link(one, other))
	for _, text := range []string{"fewer", "more words than before", ""} {
		write(t, one, text)
		if got, err := os.ReadFile(other); err != nil || string(got) != text {
			t.Errorf("the other name has %q, %v; want %q", got, err, text)
		}
	}
	if left, err := os.ReadDir(dir); err != nil || len(left) != 2 {
		t.Errorf("%v are left, %v", left, err)
	}
}

func TestWriteInCheckFails(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "notes")
	write(t, file, "old")
	root, err := os.OpenRoot(dir)
	must(t, err)
	defer root.Close()
	stop := errors.New("stop")
	err = atomicfile.WriteIn(root, "notes", []byte("new"), 0o600, func() error { return stop })
	if text, _ := os.ReadFile(file); !errors.Is(err, stop) || string(text) != "old" {
		t.Errorf("the file has %q after %v", text, err)
	}
	alone(t, dir)
}

func write(t *testing.T, path, text string) {
	t.Helper()
	must(t, atomicfile.Write(path, []byte(text)))
	if got, err := os.ReadFile(path); err != nil || string(got) != text {
		t.Fatalf("the file has %q, %v", got, err)
	}
}

func stat(t *testing.T, path string) os.FileInfo {
	t.Helper()
	info, err := os.Stat(path)
	must(t, err)
	return info
}

// alone checks that the folder has exactly one entry.
func alone(t *testing.T, dir string) {
	t.Helper()
	if entries, err := os.ReadDir(dir); err != nil || len(entries) != 1 {
		t.Errorf("%v are left, %v", entries, err)
	}
}

// must ends the test if there is an error.
func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
