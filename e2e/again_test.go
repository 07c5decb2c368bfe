//go:build e2e && unix

package e2e

import (
	"strings"
	"testing"
)

// These tests are about replies that come late, broken or not at all, as a person in front of the screen meets them.

func TestScreenReplyThatBrokeOffIsAskedForAgain(t *testing.T) {
	w := newWorld(t)
	w.traffic.discreet = true // else the line says at once that the prompt is read
	w.traffic.harms = func(request int) harm {
		if request == 1 { // so that there is time to read the line
			return waits
		}
		return unharmed
	}
	s := w.chat()
	s.enter("[[stumbles]] please")
	s.see("Retrying (2/3)")
	close(w.traffic.goOn)
	screen := s.see("Briefly: it ends well.")
	if strings.Contains(screen, "Auspicious") {
		t.Errorf("what was withdrawn is still there:\n%s", screen)
	}
	s.leave()
	if shown := w.run("sessions", "show").stdout; strings.Contains(shown, "Auspicious") || !strings.Contains(shown, "it ends well") {
		t.Errorf("the session has\n%s\nwant only the reply that counts", shown)
	}
}

// TestWithdrawnTextIsNotPrinted: standard output cannot take anything back.
func TestWithdrawnTextIsNotPrinted(t *testing.T) {
	w := newWorld(t)
	out := w.run("-p", "[[stumbles]] please")
	if out.code != 0 || out.stdout != "Briefly: it ends well.\n" {
		t.Errorf("exit code %d, standard output %q, want only the reply that counts\nstderr: %s", out.code, out.stdout, out.stderr)
	}
}

// silent is what the line says when nothing comes.
const silent = "no output for"

// quietWorld has replies fall silent, each in its way, soon enough for a test.
func quietWorld(t *testing.T, harms map[int]harm) *world {
	w := newWorld(t)
	w.settings = `limits.silence = "5s"`
	w.configure(w.traffic.URL, "")
	w.traffic.harms = func(request int) harm { return harms[request] }
	return w
}

func TestScreenSilentReplyIsStoppedAndAskedAgain(t *testing.T) {
	s := quietWorld(t, map[int]harm{0: stalls}).chat()
	s.enter("[[answer]] me")
	s.see(silent)
	s.press("\x1b")
	s.see("Stopped")
	s.enter("/retry")
	s.see("plain answer")
	s.leave()
}

func TestScreenSilentReplyGoesOn(t *testing.T) {
	w := quietWorld(t, map[int]harm{0: pauses})
	s := w.chat()
	s.enter("[[answer]] me")
	s.see(silent)
	close(w.traffic.goOn)
	s.see("plain answer")
	s.leave()
}

// TestNobodyIsThereToWait: a script gets an error, and what had come.
func TestNobodyIsThereToWait(t *testing.T) {
	w := quietWorld(t, map[int]harm{0: stalls})
	r, out := w.ask("[[endless]] talk")
	if out.code != 1 || r.Stop.Reason != "error" || !strings.Contains(out.stderr, "limits.silence") {
		t.Errorf("exit code %d, reason %q; want 1, error and which setting it was:\n%s", out.code, r.Stop.Reason, out.stderr)
	}
	if !strings.HasPrefix(r.Answer, "endless-0") {
		t.Errorf("the answer is %q, want what had come", r.Answer)
	}
}

func TestScreenCompactAndUndo(t *testing.T) {
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
	if !w.lastRequestHas(inShort) || !w.lastRequestHas(summary) || w.lastRequestHas("of old") {
		t.Error("the model did not get the summary in place of what it is about")
	}
	s.leave()
}

// lastRequestHas reports whether one of the messages of the last request has words in it.
func (w *world) lastRequestHas(words string) bool {
	chats := w.traffic.requests()
	for _, m := range chats[len(chats)-1].Messages {
		if strings.Contains(m.Content, words) {
			return true
		}
	}
	return false
}
