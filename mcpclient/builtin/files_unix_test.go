//go:build unix

package builtin_test

import (
	"os"
	"path/filepath"
	"syscall"
	"testing"
)

// TestPipesDoNotBlock would hang for ever if opening a pipe waited for its other end.
func TestPipesDoNotBlock(t *testing.T) {
	c, dir := serve(t, map[string]string{"a.txt": "text"}, true)
	if err := syscall.Mkfifo(filepath.Join(dir, "pipe"), 0o600); err != nil {
		t.Fatal(err)
	}
	fails(t, c, "read_file", args{"path": "pipe"}, `"pipe" is no regular file`)
	fails(t, c, "list_directory", args{"path": "pipe"}, `"pipe" cannot be used: not a directory`)
	fails(t, c, "write_file", args{"path": "pipe", "content": "x"}, `"pipe" is no regular file`)
	fails(t, c, "edit_file", args{"path": "pipe", "old_text": "x", "new_text": "y"}, `"pipe" is no regular file`)
	succeeds(t, c, "search_files", args{"text": "text"}, "a.txt:1: text")
	succeeds(t, c, "list_directory", nil, "pipe (no regular file)")
}

// TestLinkedFoldersDoNotLeadOut: a link is as good as its target only while that is inside.
func TestLinkedFoldersDoNotLeadOut(t *testing.T) {
	outside := t.TempDir()
	c, dir := serve(t, map[string]string{"real/a.txt": "text"}, true)
	for name, target := range map[string]string{"out": outside, "up": "../..", "in": "real"} {
		if err := os.Symlink(target, filepath.Join(dir, name)); err != nil {
			t.Fatal(err)
		}
	}
	for _, name := range []string{"out", "up"} {
		fails(t, c, "write_file", args{"path": name + "/new/x.txt", "content": "x"}, "is outside the folder that is served")
		fails(t, c, "write_file", args{"path": name + "/x.txt", "content": "x"}, "is outside the folder that is served")
		fails(t, c, "list_directory", args{"path": name}, "is outside the folder that is served")
		fails(t, c, "search_files", args{"path": name, "text": "x"}, "is outside the folder that is served")
	}
	if left, err := os.ReadDir(outside); err != nil || len(left) > 0 {
		t.Errorf("outside there is now %v, %v", left, err)
	}
	succeeds(t, c, "edit_file", args{"path": "in/a.txt", "old_text": "text", "new_text": "new"}, "Changed")
	holds(t, dir, "real/a.txt", "new")
}

// TestNamesStayOnTheirLine: Unix lets a file be called anything.
func TestNamesStayOnTheirLine(t *testing.T) {
	c, _ := serve(t, map[string]string{"a\n\x1b[2J.txt": "text", "b.txt": ""}, false)
	if got, want := succeeds(t, c, "list_directory", nil, ""), "\"a\\n\\x1b[2J.txt\" (4 bytes)\nb.txt (0 bytes)\n"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	succeeds(t, c, "search_files", args{"text": "text"}, `"a\n\x1b[2J.txt":1: text`)
}
