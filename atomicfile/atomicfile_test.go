package atomicfile_test

import (
	"os"
	"path/filepath"
	"runtime"
	"testing"

	"github.com/aloudchat/aloud/atomicfile"
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
		if err := os.Chmod(file, 0o640); err != nil {
			t.Fatal(err)
		}
	}
	before := stat(t, file).Mode()
	write(t, file, "two")
	if after := stat(t, file).Mode(); after != before {
		t.Errorf("%v became %v", before, after)
	}
	alone(t, filepath.Dir(file))
}

func TestWriteFails(t *testing.T) {
	dir := t.TempDir()
	folder := filepath.Join(dir, "folder")
	if err := os.MkdirAll(filepath.Join(folder, "full"), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := atomicfile.Write(folder, []byte("text")); err == nil {
		t.Error("a folder was replaced by a file")
	}
	alone(t, dir)
}

func write(t *testing.T, path, text string) {
	t.Helper()
	if err := atomicfile.Write(path, []byte(text)); err != nil {
		t.Fatal(err)
	}
	if got, err := os.ReadFile(path); err != nil || string(got) != text {
		t.Fatalf("the file has %q, %v", got, err)
	}
}

func stat(t *testing.T, path string) os.FileInfo {
	t.Helper()
	info, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	return info
}

// alone checks that the folder has exactly one entry.
func alone(t *testing.T, dir string) {
	t.Helper()
	if entries, err := os.ReadDir(dir); err != nil || len(entries) != 1 {
		t.Errorf("%v are left, %v", entries, err)
	}
}
