//go:build unix

package config_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/aloudchat/aloud/config"
)

// Load does not wait for a pipe without a writer.
func TestAPipeIsNoConfiguration(t *testing.T) {
	path := filepath.Join(t.TempDir(), "pipe")
	if err := syscall.Mkfifo(path, 0o600); err != nil {
		t.Fatal(err)
	}
	_, err := config.Load(config.LoadOptions{Path: path, Env: func(string) (string, bool) { return "", false }})
	if _, ok := errors.AsType[*config.Error](err); !ok || !strings.Contains(err.Error(), "cannot be read: it is a folder, a pipe or a device; change that, or name another with --config") {
		t.Errorf("%v", err)
	}
}

// Use the null device for no configuration.
func TestNoConfigurationByName(t *testing.T) {
	if _, err := config.Load(config.LoadOptions{Path: os.DevNull, Env: func(string) (string, bool) { return "", false }}); err != nil {
		t.Error(err)
	}
}
