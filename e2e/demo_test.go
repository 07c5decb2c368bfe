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
	if err := os.Remove(w.configFile()); err != nil {
		w.t.Fatal(err)
	}
}

func (w *world) commandWithoutConfig(args ...string) *exec.Cmd {
	cmd := w.command(w.t.Context())
	cmd.Args = append(cmd.Args[:1:1], args...)
	return cmd
}

func TestDemoCallsTool(t *testing.T) {
	w := newWorld(t)
	w.removeConfig()
	out, err := w.commandWithoutConfig("--demo", "--output", "json", "-p", tokyo).Output()
	if err != nil {
		t.Fatal(err)
	}
	r := parseResult(t, outcome{stdout: string(out)})
	if r.statuses() != "ok" || r.ToolCalls[0].Server != "clock" {
		t.Errorf("the calls are %+v, want a successful one of the clock", r.ToolCalls)
	}
	if !clockTime.MatchString(r.Answer) || !strings.Contains(r.Answer, "Tokyo") {
		t.Errorf("the answer is %q, want the time in Tokyo", r.Answer)
	}
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
	s := w.openTerminal(w.commandWithoutConfig("--demo"), 100, 30)
	s.see("Ask anything")
	s.enter(tokyo)
	s.see("Current Time")
	s.see("the time and ✓", func(screen string) bool {
		return clockTime.MatchString(screen) && strings.Contains(screen, "✓")
	})
	s.quit()
}
