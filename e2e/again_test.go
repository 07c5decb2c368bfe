//go:build e2e && unix

package e2e

import (
	"strings"
	"testing"
)

// These tests cover replies that are late, broken or missing.

func TestScreenRetryReplacesBrokenReply(t *testing.T) {
	w := newWorld(t)
	w.traffic.hideLoaded = true // without this the line reports at once that the prompt is being read
	w.traffic.faults = func(request int) fault {
		if request == 2 { // leaves time to read the line
			return delayReply
		}
		return breaks[request]
	}
	s := w.chat()
	s.enter("[[stumbles]] please")
	s.see("Retrying (3/3)")
	close(w.traffic.resume)
	screen := s.see("Briefly: it ends well.")
	if strings.Contains(screen, "Auspicious") {
		t.Errorf("the withdrawn text is still shown:\n%s", screen)
	}
	s.quit()
	shown := w.run("sessions", "show").stdout
	if strings.Contains(shown, "Auspicious") || !strings.Contains(shown, "it ends well") {
		t.Errorf("the session does not have the last reply alone:\n%s", shown)
	}
}

func TestWithdrawnTextIsNotPrinted(t *testing.T) {
	w := newWorld(t)
	w.traffic.faults = func(request int) fault { return breaks[request] }
	out := w.run("-p", "[[stumbles]] please")
	if out.code != 0 || out.stdout != "Briefly: it ends well.\n" {
		t.Errorf("exit code %d, standard output %q, want the last reply\nstderr: %s", out.code, out.stdout, out.stderr)
	}
}

// silent is the part of the line that reports no output.
const silent = "no output for"

// worldWithFaults returns a world with a short silence limit whose replies have the given faults, by number of the
// request.
func worldWithFaults(t testing.TB, faults map[int]fault) *world {
	w := newWorld(t)
	w.settings = `limits.silence = "5s"`
	w.configure(w.traffic.URL, "")
	w.traffic.faults = func(request int) fault { return faults[request] }
	return w
}

func TestScreenRetryAfterSilence(t *testing.T) {
	s := worldWithFaults(t, map[int]fault{0: stallReply}).chat()
	s.enter("[[answer]] me")
	s.see(silent)
	s.press("\x1b")
	s.see("Stopped")
	s.enter("/retry")
	s.see("plain answer")
	s.quit()
}

func TestSilenceLimitWithoutScreen(t *testing.T) {
	w := worldWithFaults(t, map[int]fault{0: stallReply})
	r, out := w.ask("[[endless]] talk")
	if out.code != 1 || r.Stop.Reason != "error" || !strings.Contains(out.stderr, "limits.silence") {
		t.Errorf("exit code %d, reason %q, want an error about the setting:\n%s", out.code, r.Stop.Reason, out.stderr)
	}
	if !strings.HasPrefix(r.Answer, "endless-0") {
		t.Errorf("the answer is %q, want the part that arrived", r.Answer)
	}
}

func TestScreenCompact(t *testing.T) {
	w := newWorld(t)
	w.configure(w.traffic.URL, "")
	s := w.chat()
	s.enter("[[lines]] of old")
	s.see("line number 39")
	s.enter("[[answer]] me")
	s.see("plain answer")
	s.enter("/compact")
	s.see("Compacted")
	s.enter("[[think]] hard")
	s.see("the answer is 42")
	request := w.lastRequest()
	if !strings.Contains(request, summaryIntro+"\n"+summary) || strings.Contains(request, "of old") {
		t.Errorf("the summary does not replace the older messages:\n%s", request)
	}
	s.quit()
}
