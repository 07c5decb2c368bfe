//go:build e2e && unix

package e2e

import (
	"os"
	"os/exec"
	"regexp"
	"strings"
	"testing"
)

// clockTime matches a time, as in 14:05 or 2:05 PM.
var clockTime = regexp.MustCompile(`\b\d{1,2}:\d{2}\b`)

const tokyo = "what time is it in Tokyo?"

// removeConfig removes the configuration file.
func (w *world) removeConfig() {
	w.t.Helper()
	must(w.t, os.Remove(w.configFile()))
}

// TestDemoFromFreshClone runs the commands in the README, without a terminal.
func TestDemoFromFreshClone(t *testing.T) {
	w := newWorld(t)
	w.removeConfig()
	cmd := exec.CommandContext(t.Context(), "go", "run", ".", "--demo")
	cmd.Dir = ".."
	cmd.Env = append(os.Environ(), "XDG_CONFIG_HOME="+w.home, "XDG_STATE_HOME="+w.home)
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	if !clockTime.Match(out) || !strings.Contains(string(out), "Tokyo") {
		t.Errorf("the output has no time in Tokyo:\n%s", out)
	}
}

func TestScreenDemo(t *testing.T) {
	w := newWorld(t)
	w.removeConfig()
	cmd := w.command(t.Context())
	cmd.Args = []string{cmd.Path, "--demo"}
	s := w.openTerminal(cmd, 100, 30)
	s.see("Ask anything")
	s.enter(tokyo)
	s.see("Current Time")
	s.see("the time and ✓", func(screen string) bool {
		return clockTime.MatchString(screen) && strings.Contains(screen, "✓")
	})
	s.quit()
}
