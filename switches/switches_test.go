package switches_test

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/aloudchat/aloud/mcpclient"
	"github.com/aloudchat/aloud/mcpclient/builtin"
	"github.com/aloudchat/aloud/switches"
)

func TestSwitchedToolsAreRemembered(t *testing.T) {
	state := filepath.Join(t.TempDir(), "state")
	s := switches.In(state)
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
		if err := s.Remember(step.server, step.tool, step.on); err != nil {
			t.Fatal(err)
		}
		if off, err := switches.In(state).Off(); fmt.Sprint(off) != step.want || err != nil {
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
	s := switches.In(t.TempDir())
	var all sync.WaitGroup
	const tools = 20
	for i := range tools {
		all.Go(func() {
			if err := s.Remember("clock", fmt.Sprintf("now_%d", i), false); err != nil {
				t.Error(err)
			}
		})
	}
	all.Wait()
	if off, err := s.Off(); len(off) != tools || err != nil {
		t.Errorf("off are %v, %v", off, err)
	}
}

func TestADamagedFileOfSwitches(t *testing.T) {
	for name, text := range map[string]string{
		"no JSON":      "{\"off\": [\"clock__now\"",
		"another kind": `{"off": "clock__now"}`,
		"empty":        "",
		"too large":    `{"off": ["` + strings.Repeat("x", switches.Largest) + `"]}`,
	} {
		t.Run(name, func(t *testing.T) {
			state := t.TempDir()
			s, path := switches.In(state), filepath.Join(state, "tools.json")
			if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
				t.Fatal(err)
			}
			off, err := s.Off()
			if len(off) > 0 || err == nil || !strings.HasPrefix(err.Error(), "all tools are on: ") || strings.Contains(err.Error(), "\n") {
				t.Errorf("off are %v, %v", off, err)
			}
			if err := s.Remember("clock", "now", false); err != nil {
				t.Fatal(err)
			}
			if off, err := s.Off(); fmt.Sprint(off) != "[{clock now}]" || err != nil {
				t.Errorf("written anew it says %v, %v", off, err)
			}
		})
	}
	t.Run("a folder", func(t *testing.T) {
		state := t.TempDir()
		s, path := switches.In(state), filepath.Join(state, "tools.json")
		if err := os.Mkdir(path, 0o700); err != nil {
			t.Fatal(err)
		}
		if _, err := s.Off(); !oneSentence(err, path) {
			t.Errorf("a folder is read with these words: %v", err)
		}
		if err := s.Remember("clock", "now", false); !oneSentence(err, path) {
			t.Errorf("what cannot be kept is told so: %v", err)
		}
	})
	if off, err := switches.In("").Off(); off != nil || err != nil {
		t.Errorf("without a state folder off are %v, %v", off, err)
	}
}

// oneSentence tells whether an error names the file once, in quotes.
func oneSentence(err error, path string) bool {
	return err != nil && !strings.Contains(err.Error(), "\n") && strings.Count(err.Error(), path) == 1 && strings.Contains(err.Error(), fmt.Sprintf("%q", path))
}

// A tool may be switched off before its server is up.
func TestSwitchesWaitForTheirServers(t *testing.T) {
	s := switches.In(t.TempDir())
	if err := s.Remember("clock", "now", false); err != nil {
		t.Fatal(err)
	}
	local, err := builtin.New("clock", builtin.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer local.Close()
	set := mcpclient.Start(t.Context(), []mcpclient.Server{{Name: "clock", Local: local.MCPServer, Trusted: true}}, mcpclient.Options{Board: new(mcpclient.Board)})
	defer set.Close()
	off, err := s.Off()
	if err != nil {
		t.Fatal(err)
	}
	for _, tool := range off {
		set.Enable(tool.Server, tool.Tool, false)
	}
	if err := set.Ready(t.Context()); err != nil {
		t.Fatal(err)
	}
	if slices.ContainsFunc(set.Tools(), func(tool mcpclient.Tool) bool { return tool.Name == "clock__now" }) {
		t.Error("a tool that was switched off is offered")
	}
	if all, _ := set.AllTools(); len(all) == 0 {
		t.Error("it is not even known")
	}
}
