//go:build unix

package screen

import (
	"context"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
)

// A tool that is killed may leave a child with its output open.
func TestClipboardImageEndsWithItsContext(t *testing.T) {
	dir := t.TempDir()
	begun := filepath.Join(dir, "begun")
	tool := "#!/bin/sh\nsleep 300 &\necho $! >" + begun + "\nwait\n"
	if err := os.WriteFile(filepath.Join(dir, "wl-paste"), []byte(tool), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := syscall.Mkfifo(begun, 0o600); err != nil {
		t.Fatal(err)
	}
	t.Setenv("PATH", dir+":/bin:/usr/bin")
	ctx, cancel := context.WithCancel(t.Context())
	child := make(chan int, 1)
	go func() {
		text, _ := os.ReadFile(begun) // waits for the tool
		pid, _ := strconv.Atoi(strings.TrimSpace(string(text)))
		child <- pid
		cancel()
	}()
	if data, err := ClipboardImage(ctx); err == nil {
		t.Errorf("got %q", data)
	}
	if pid := <-child; pid > 0 {
		_ = syscall.Kill(pid, syscall.SIGKILL)
	}
}

func TestClipboardImageWithoutTools(t *testing.T) {
	t.Setenv("PATH", t.TempDir())
	if data, err := ClipboardImage(t.Context()); err == nil || data != nil {
		t.Errorf("got %q, %v", data, err)
	}
}
