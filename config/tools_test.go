package config_test

import (
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/aloudchat/aloud/config"
)

func TestRememberTool(t *testing.T) {
	state := filepath.Join(t.TempDir(), "state")
	for _, step := range []struct {
		server, tool string
		on           bool
		want         string
	}{
		{"files", "read_file", false, "[{files read_file}]"},
		{"clock", "now", false, "[{clock now} {files read_file}]"},
		{"clock", "now", false, "[{clock now} {files read_file}]"},
		{"files", "read_file", true, "[{clock now}]"},
		{"never", "there", true, "[{clock now}]"},
		{"clock", "now", true, "[]"},
	} {
		must(t, config.RememberTool(state, step.server, step.tool, step.on))
		if off, err := config.ToolsOff(state); fmt.Sprint(off) != step.want || err != nil {
			t.Errorf("after %+v off are %v, %v", step, off, err)
		}
	}
	info, err := os.Stat(filepath.Join(state, "tools.json"))
	if err != nil || runtime.GOOS != "windows" && info.Mode().Perm() != 0o600 {
		t.Errorf("the file is %v, %v", info, err)
	}
}

func TestNewerToolsFileIsKept(t *testing.T) {
	state := t.TempDir()
	path := filepath.Join(state, "tools.json")
	newer := `{"version": 2, "off": {"clock": ["now"]}}`
	must(t, os.WriteFile(path, []byte(newer), 0o600))
	off, read := config.ToolsOff(state)
	write := config.RememberTool(state, "clock", "now", false)
	for _, err := range []error{read, write} {
		if err == nil || !strings.Contains(err.Error(), "newer version of aloud (format 2, this one reads 1). Update aloud") {
			t.Error(err)
		}
	}
	if text := content(t, path); len(off) > 0 || text != newer {
		t.Errorf("%v are off, and it became %s", off, text)
	}
}

func TestToolsOffDamagedFile(t *testing.T) {
	state := t.TempDir()
	path := filepath.Join(state, "tools.json")
	must(t, os.WriteFile(path, []byte("{\"off\": [\"clock__now\""), 0o600))
	off, err := config.ToolsOff(state)
	if len(off) > 0 || err == nil || !strings.Contains(err.Error(), "all tools are on: ") {
		t.Errorf("off are %v, %v", off, err)
	}
	must(t, config.RememberTool(state, "clock", "now", false))
	if off, err := config.ToolsOff(state); fmt.Sprint(off) != "[{clock now}]" || err != nil {
		t.Errorf("rewritten, it has %v, %v", off, err)
	}
}
