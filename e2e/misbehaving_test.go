//go:build e2e && unix

package e2e

import (
	"fmt"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/aloudchat/aloud/e2e/badserver"
)

// misbehavingServer returns the table of a trusted server that misbehaves in the given mode. Its last argument is the
// home, which identifies its processes.
func (w *world) misbehavingServer(mode, over string) string {
	w.t.Helper()
	m, err := badserver.Find(mode)
	must(w.t, err)
	// Seconds. Only modes that hang get short limits, so that a busy machine does not matter.
	startup, call := 60, 60
	switch m.Hangs {
	case badserver.AtStart, badserver.AfterWords:
		startup = 2
	case badserver.AtCall:
		call = 2
	}
	rest := fmt.Sprintf("trusted = true\nstartup_timeout_sec = %d\ntool_timeout_sec = %d\n", startup, call)
	if over == badserver.HTTP {
		s := httptest.NewServer(badserver.Handler(m))
		w.t.Cleanup(func() {
			s.CloseClientConnections()
			s.Close()
		})
		return fmt.Sprintf("\n[mcp_servers.bad]\nurl = %q\n%s", s.URL, rest)
	}
	return fmt.Sprintf("\n[mcp_servers.bad]\ncommand = %q\nargs = [%q, %q]\n%s", parts.badserver, mode, w.home, rest)
}

// TestMisbehavingServers calls the tool of a server that misbehaves, then a tool of another server. newWorld checks
// that no process is left.
func TestMisbehavingServers(t *testing.T) {
	for _, test := range []struct {
		mode, over string
		first      string // status of its call, or "" if it never becomes ready
	}{
		{"fine", badserver.Stdio, "ok"},
		{"exits", badserver.Stdio, ""},
		{"deaf", badserver.Stdio, ""},
		{"exits-call", badserver.Stdio, "error"},
		{"hangs-call", badserver.Stdio, "error"},
		{"leaves-child", badserver.Stdio, "error"},
		{"wrapper", badserver.Stdio, "ok"},
		{"runaway-child", badserver.Stdio, "ok"},
		{"chatters", badserver.Stdio, "ok"},
		{"elicit-flood", badserver.Stdio, "ok"},
		{"bad-schemas", badserver.Stdio, "ok"},
		{"endless-line", badserver.Stdio, "error"},
		{"error-500", badserver.HTTP, ""},
		{"stalls", badserver.HTTP, ""},
		{"drips", badserver.HTTP, "error"},
		{"call-401", badserver.HTTP, "error"},
		{"hostile-text", badserver.HTTP, "ok"},
	} {
		t.Run(test.over+" "+test.mode, func(t *testing.T) {
			w := newWorld(t)
			w.configure(w.traffic.URL, w.everything()+w.misbehavingServer(test.mode, test.over))
			script, answer := "bad-and-good", "One was bad, one was good."
			if test.first == "" {
				script, answer = "tool", "The tool repeated it."
			}
			r, out := w.ask("[["+script+"]] please", "--yes")
			if out.code != 0 || r.statuses() != strings.TrimSpace(test.first+" ok") || !strings.Contains(r.Answer, answer) {
				t.Errorf("exit code %d, calls %v, answer %q\nstderr: %s", out.code, r.ToolCalls, r.Answer, out.stderr)
			}
			for _, c := range r.ToolCalls {
				if strings.ContainsAny(c.Error, "\n\x1b") {
					t.Errorf("the error is not one line: %q", c.Error)
				}
			}
		})
	}
}

func TestScreenWithMisbehavingServers(t *testing.T) {
	for _, mode := range []string{"deaf", "chatters", "exits-call", "elicit-flood", "progress-flood", "hangs-call"} {
		t.Run(mode, func(t *testing.T) {
			w := newWorld(t)
			w.settings = "approval.mode = \"all\""
			w.configure(w.traffic.URL, w.everything()+w.misbehavingServer(mode, badserver.Stdio))
			s := w.chat()
			s.enter("[[answer]] me")
			s.see("and a block:")
			if mode == "deaf" { // it never becomes ready
				s.see("bad failed")
			} else {
				s.enter("[[bad-tool]] please")
				s.declineUntil("That was the bad tool.")
			}
			s.enter("[[tool]] after all that")
			s.see("The tool repeated it.")
			s.quit()
		})
	}
}

// declineUntil declines every request of a server until the screen contains text.
func (s *screen) declineUntil(text string) {
	s.t.Helper()
	var since time.Time // when the request appeared, or the one before it was answered
	s.see(text+", and no question", func(screen string) bool {
		switch {
		case !strings.Contains(screen, "bad asks for input"):
			since = time.Time{}
			return strings.Contains(screen, text)
		case since.IsZero():
			since = time.Now()
		case time.Since(since) >= time.Second: // keys right after a dialog appears are ignored
			s.press("\t\x1b[C\x1b[C\r") // from the field to "Decline all"
			since = time.Now()
		}
		return false
	})
}
