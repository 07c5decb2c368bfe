//go:build unix

package ui

import (
	"context"
	"encoding/base64"
	"os"
	"path/filepath"
	"testing"
)

// TestTextCopiedOnWindowsKeepsItsLetters has a powershell.exe that keeps what it reads.
func TestTextCopiedOnWindowsKeepsItsLetters(t *testing.T) {
	const text = "ü, 漢 and 🌸\n"
	dir := t.TempDir()
	t.Setenv("PATH", dir)
	program := "#!/bin/sh\nwhile IFS= read -r line || [ -n \"$line\" ]; do echo \"$line\"; done >" + filepath.Join(dir, "read") + "\n"
	for _, name := range []string{"powershell.exe", "clip.exe"} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(program), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	if !toDesktop(context.Background(), text) {
		t.Fatal("nothing was copied")
	}
	read, err := os.ReadFile(filepath.Join(dir, "read"))
	if err != nil {
		t.Fatal(err)
	}
	got, err := base64.StdEncoding.DecodeString(string(read[:len(read)-1]))
	if string(got) != text || err != nil {
		t.Errorf("the program reads %q", read)
	}
}
