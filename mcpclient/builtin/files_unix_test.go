//go:build unix

package builtin_test

import (
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

// TestNamesStayOnTheirLine: Unix lets a file be called anything.
func TestNamesStayOnTheirLine(t *testing.T) {
	c, _ := serve(t, map[string]string{"a\n\x1b[2J.txt": "text", "b.txt": ""}, false)
	if got, want := succeeds(t, c, "list_directory", nil, ""), "\"a\\n\\x1b[2J.txt\" (4 bytes)\nb.txt (0 bytes)\n"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	succeeds(t, c, "search_files", args{"text": "text"}, `"a\n\x1b[2J.txt":1: text`)
}
