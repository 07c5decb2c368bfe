//go:build unix

package ui

import (
	"path/filepath"
	"syscall"
	"testing"

	tea "charm.land/bubbletea/v2"
)

func TestPastedNameOfPipeStays(t *testing.T) {
	pipe := filepath.Join(t.TempDir(), "a.png")
	if err := syscall.Mkfifo(pipe, 0o600); err != nil {
		t.Fatal(err)
	}
	drive(t, 200, 24, with(says()), func(d *driver) {
		d.send(tea.PasteMsg{Content: pipe})
		d.wait(second)
		d.sees("› "+pipe, `cannot attach "a.png": it is not a regular file`)
	})
}
