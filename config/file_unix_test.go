//go:build unix

package config_test

import (
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/aloudchat/aloud/config"
)

// Load must not block on a pipe without a writer.
func TestLoadPipe(t *testing.T) {
	path := filepath.Join(t.TempDir(), "pipe")
	must(t, syscall.Mkfifo(path, 0o600))
	_, err := config.Load(config.LoadOptions{Path: path, Env: environment(t)})
	if err == nil || !strings.Contains(err.Error(), "it is not a regular file. Use another one with --config") {
		t.Error(err)
	}
}

func TestLoadNullDevice(t *testing.T) {
	if _, err := config.Load(config.LoadOptions{Path: os.DevNull, Env: environment(t)}); err != nil {
		t.Error(err)
	}
}
