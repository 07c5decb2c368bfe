package config_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/aloudchat/aloud/config"
)

func TestSwitchedToolsAreRemembered(t *testing.T) {
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
		if err := config.RememberTool(state, step.server, step.tool, step.on); err != nil {
			t.Fatal(err)
		}
		if off, err := config.ToolsOff(state); fmt.Sprint(off) != step.want || err != nil {
			t.Errorf("after %+v off are %v, %v", step, off, err)
		}
	}
	info, err := os.Stat(filepath.Join(state, "tools.json"))
	if err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("the file is %v, %v", info, err)
	}
	if files, _ := filepath.Glob(filepath.Join(state, "*")); len(files) != 2 { // with the lock
		t.Errorf("there are %q", files)
	}
}

// Two alouds may switch tools at once.
func TestNoSwitchIsLost(t *testing.T) {
	state := t.TempDir()
	var all sync.WaitGroup
	const tools = 20
	for i := range tools {
		all.Go(func() {
			if err := config.RememberTool(state, "clock", fmt.Sprintf("now_%d", i), false); err != nil {
				t.Error(err)
			}
		})
	}
	all.Wait()
	if off, err := config.ToolsOff(state); len(off) != tools || err != nil {
		t.Errorf("off are %v, %v", off, err)
	}
}

func TestADamagedFileOfSwitches(t *testing.T) {
	for name, text := range map[string]string{
		"no JSON":      "{\"off\": [\"clock__now\"",
		"another kind": `{"off": "clock__now"}`,
		"empty":        "",
		"too large":    `{"off": ["` + strings.Repeat("x", 1<<20) + `"]}`,
	} {
		t.Run(name, func(t *testing.T) {
			state := t.TempDir()
			path := filepath.Join(state, "tools.json")
			if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
				t.Fatal(err)
			}
			off, err := config.ToolsOff(state)
			if len(off) > 0 || err == nil || !strings.HasPrefix(err.Error(), "all tools are on, because ") || strings.Contains(err.Error(), "\n") {
				t.Errorf("off are %v, %v", off, err)
			}
			if err := config.RememberTool(state, "clock", "now", false); err != nil {
				t.Fatal(err)
			}
			if off, err := config.ToolsOff(state); fmt.Sprint(off) != "[{clock now}]" || err != nil {
				t.Errorf("written anew it says %v, %v", off, err)
			}
		})
	}
	t.Run("a folder", func(t *testing.T) {
		state := t.TempDir()
		path := filepath.Join(state, "tools.json")
		if err := os.Mkdir(path, 0o700); err != nil {
			t.Fatal(err)
		}
		if _, err := config.ToolsOff(state); !oneSentence(err, path) {
			t.Errorf("a folder is read with these words: %v", err)
		}
		if err := config.RememberTool(state, "clock", "now", false); !oneSentence(err, path) {
			t.Errorf("what cannot be kept is told so: %v", err)
		}
	})
	if off, err := config.ToolsOff(""); off != nil || err != nil {
		t.Errorf("without a state folder off are %v, %v", off, err)
	}
}

// oneSentence tells whether an error names the file once, in quotes.
func oneSentence(err error, path string) bool {
	return err != nil && !strings.Contains(err.Error(), "\n") && strings.Count(err.Error(), path) == 1 && strings.Contains(err.Error(), fmt.Sprintf("%q", path))
}
