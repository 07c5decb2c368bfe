//go:build e2e && unix

package e2e

import (
	"fmt"
	"strings"
	"syscall"
	"testing"
)

// TestSignalEndsAllProcesses includes a server that has a child process, as with npx or a shell. newWorld checks that
// no process is left.
func TestSignalEndsAllProcesses(t *testing.T) {
	for _, test := range []struct {
		signal syscall.Signal
		code   int
	}{
		{syscall.SIGINT, 130},
		{syscall.SIGTERM, 130},
		{syscall.SIGHUP, 130},
		{syscall.SIGKILL, -1},
	} {
		t.Run(test.signal.String(), func(t *testing.T) {
			w := newWorld(t)
			w.configure(w.traffic.URL, w.everything()+w.notes()+w.shellServer())
			cmd := w.start("-p", "[[endless]] talk")
			w.traffic.waitForReply(t)
			if n := len(w.processes()); n < 5 {
				t.Errorf("%d processes, want aloud, two servers, a shell and its server", n)
			}
			cmd.signal(test.signal)
			if out := cmd.wait(); out.code != test.code {
				t.Errorf("exit code %d, want %d\nstderr: %s", out.code, test.code, out.stderr)
			}
		})
	}
}

// shellServer returns the table of a server that runs as the child of a shell.
func (w *world) shellServer() string {
	return fmt.Sprintf("\n[mcp_servers.shell]\ncommand = \"sh\"\nargs = [\"-c\", \"node '%s' '%s'; true\"]\n",
		serverProgram("memory"), w.home)
}

func TestSignalDuringToolCall(t *testing.T) {
	w := newWorld(t)
	cmd := w.start("--output", "json", "-p", "[[slow-tool]] wait")
	w.waitForSession("trigger-long-running-operation") // the reply has ended, and its call runs
	cmd.signal(syscall.SIGTERM)
	out := cmd.wait()
	r := parseResult(t, out)
	if out.code != 130 || r.Stop.Reason != "cancelled" || r.Stop.Detail != "stopped by a signal" {
		t.Errorf("exit code %d and %+v, want 130 and cancelled by a signal", out.code, r.Stop)
	}
}

func TestResumeAfterKill(t *testing.T) {
	w := newWorld(t)
	w.configure(w.traffic.URL, "")
	cmd := w.start("-p", "[[endless]] talk")
	w.waitForSession("endless-20")
	cmd.signal(syscall.SIGKILL)
	cmd.wait()

	r, out := w.ask("[[answer]] and now?", "--continue")
	if out.code != 0 || !strings.Contains(r.Answer, "plain answer") {
		t.Errorf("exit code %d\n%s", out.code, out.stderr)
	}
	shown := w.run("sessions", "show").stdout
	for _, want := range []string{"[[endless]] talk", "endless-20", "[[answer]] and now?", "plain answer"} {
		if !strings.Contains(shown, want) {
			t.Errorf("the saved conversation has no %q:\n%s", want, shown)
		}
	}
}
