//go:build unix

package builtin_test

import (
	"os"
	"path/filepath"
	"syscall"
	"testing"
)

func TestPipes(t *testing.T) {
	c, dir := serve(t, map[string]string{"a.txt": "text"})
	if err := syscall.Mkfifo(filepath.Join(dir, "pipe"), 0o600); err != nil {
		t.Fatal(err)
	}
	fails(t, c, "read_file", args{"path": "pipe"}, `"pipe" is not a regular file`)
	fails(t, c, "list_directory", args{"path": "pipe"}, `cannot use "pipe": not a directory`)
	fails(t, c, "write_file", args{"path": "pipe", "content": "x"}, `"pipe" is not a regular file`)
	fails(t, c, "edit_file", args{"path": "pipe", "old_text": "x", "new_text": "y"}, `"pipe" is not a regular file`)
	succeeds(t, c, "search_files", args{"text": "text"}, "a.txt:1: text")
	succeeds(t, c, "list_directory", nil, "pipe (not a regular file)")
}

func TestLinksOutOfTheFolder(t *testing.T) {
	outside := t.TempDir()
	c, dir := serve(t, map[string]string{"real/a.txt": "text"})
	for name, target := range map[string]string{"out": outside, "up": "../..", "in": "real"} {
		if err := os.Symlink(target, filepath.Join(dir, name)); err != nil {
			t.Fatal(err)
		}
	}
	for _, name := range []string{"out", "up"} {
		fails(t, c, "write_file", args{"path": name + "/new/x.txt", "content": "x"}, "is outside the served folder")
		fails(t, c, "write_file", args{"path": name + "/x.txt", "content": "x"}, "is outside the served folder")
		fails(t, c, "list_directory", args{"path": name}, "is outside the served folder")
		fails(t, c, "search_files", args{"path": name, "text": "x"}, "is outside the served folder")
	}
	if left, err := os.ReadDir(outside); err != nil || len(left) > 0 {
		t.Errorf("outside: %v, %v", left, err)
	}
	succeeds(t, c, "edit_file", args{"path": "in/a.txt", "old_text": "text", "new_text": "new"}, "Changed")
	holds(t, dir, "real/a.txt", "new")
}

func TestCallAfterFolderBecameLink(t *testing.T) {
	s, dir := writable(t, map[string]string{"in/f.txt": "old\n"})
	given := args{"path": "in/f.txt", "content": "new\n"}
	_, basis, err := preview(t, s, "write_file", given)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Rename(filepath.Join(dir, "in"), filepath.Join(dir, "moved")); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink("moved", filepath.Join(dir, "in")); err != nil {
		t.Fatal(err)
	}
	if got, changed := callWith(t, connect(t, s), "write_file", given, basis); !changed {
		t.Errorf("got %q", got)
	}
	holds(t, dir, "moved/f.txt", "old\n")
}

// Unix allows any name.
func TestHostileNames(t *testing.T) {
	c, _ := serve(t, map[string]string{"a\n\x1b[2J.txt": "text", "b.txt": ""})
	succeeds(t, c, "list_directory", nil, "\"a\\n\\x1b[2J.txt\" (4 bytes)\nb.txt (0 bytes)\n")
	succeeds(t, c, "search_files", args{"text": "text"}, `"a\n\x1b[2J.txt":1: text`)
}
