//go:build e2e && unix

package e2e

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/aloudchat/aloud/e2e/terminal"
	"github.com/aloudchat/aloud/e2e/tinymodel"
)

// A screen is a terminal with aloud in it.
type screen struct {
	t    testing.TB
	term *terminal.Terminal
}

// chat opens a terminal with aloud in it and waits until you can type.
func (w *world) chat(args ...string) *screen {
	w.t.Helper()
	s := w.openTerminal(w.command(w.t.Context(), args...), 100, 30)
	s.see("Ask anything")
	return s
}

func (w *world) openTerminal(cmd *exec.Cmd, width, height int) *screen {
	w.t.Helper()
	term, err := terminal.Start(cmd, width, height)
	must(w.t, err)
	w.t.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.Background(), waitLimit)
		defer cancel()
		term.Close(ctx)
	})
	return &screen{w.t, term}
}

func (s *screen) press(keys string) {
	s.t.Helper()
	must(s.t, s.term.Type(keys))
}

// enter types a message and sends it once the composer shows it.
func (s *screen) enter(text string) {
	s.t.Helper()
	s.press(text)
	s.see(text)
	s.press("\r")
}

// see waits until the screen contains text, or meets the condition that the text describes.
func (s *screen) see(text string, condition ...func(screen string) bool) string {
	s.t.Helper()
	seen := func(screen string) bool { return strings.Contains(screen, text) }
	if len(condition) > 0 {
		seen = condition[0]
	}
	ctx, cancel := context.WithTimeout(s.t.Context(), waitLimit)
	defer cancel()
	screen, ok := s.term.WaitFor(ctx, seen)
	if !ok {
		s.t.Fatalf("the screen does not show %q:\n%s", text, screen)
	}
	return screen
}

// read waits until the screen has contained text for a second: keys right after a dialog appears are ignored.
func (s *screen) read(text string) {
	s.t.Helper()
	var since time.Time
	s.see(text+" for a second", func(screen string) bool {
		switch {
		case !strings.Contains(screen, text):
			since = time.Time{}
		case since.IsZero():
			since = time.Now()
		}
		return !since.IsZero() && time.Since(since) >= time.Second
	})
}

// leave presses ctrl+c, which stops the answer or clears the line, and ctrl+d.
func (s *screen) leave() {
	s.t.Helper()
	s.press("\x03\x04")
}

// quit leaves and waits for the program to end.
func (s *screen) quit() {
	s.t.Helper()
	s.leave()
	ctx, cancel := context.WithTimeout(s.t.Context(), waitLimit)
	defer cancel()
	select {
	case <-s.term.Exited():
	case <-ctx.Done():
		s.t.Fatalf("the program does not leave:\n%s", s.term.Screen())
	}
	if code := s.term.ExitCode(); code != 0 {
		s.t.Errorf("exit code %d, want 0", code)
	}
}

func TestScreenContinueAfterIterations(t *testing.T) {
	s := newWorld(t).chat("--max-iterations", "2")
	s.enter("[[forever]] go on")
	s.see("enter continues") // shown when the key works
	s.press("\r")
	s.see("I have no script for that.")
	s.quit()
}

func TestScreenApproved(t *testing.T) {
	w := newWorld(t)
	s := w.chat()
	s.enter("[[wait-write]] a file")
	s.see("late.txt")
	s.read("Allow this call?")
	s.press("y")
	s.see("The late file is written.")
	if text, err := os.ReadFile(w.home + "/notes/late.txt"); err != nil || string(text) != "by the model" {
		t.Errorf("the file holds %q (%v)", text, err)
	}
	s.quit()
}

func TestScreenIgnoresKeyTypedWhileStopped(t *testing.T) {
	w := newWorld(t)
	cmd := w.command(t.Context())
	s := w.openTerminal(cmd, 100, 30)
	s.see("Ask anything")
	s.enter("[[wait-write]] a file")
	s.see("Allow this call?")
	s.see("Waiting for your approval · 1s")
	must(t, cmd.Process.Signal(syscall.SIGSTOP))
	stopped := eventually(func() bool { // the signal takes a moment
		state, _ := exec.Command("ps", "-o", "state=", "-p", fmt.Sprint(cmd.Process.Pid)).Output() // empty on an error
		return strings.HasPrefix(string(state), "T")
	})
	if !stopped {
		t.Fatal("the program did not stop")
	}
	s.press("y")
	time.Sleep(time.Second)
	must(t, cmd.Process.Signal(syscall.SIGCONT))
	s.see("Waiting for your approval · 4s")
	if _, err := os.Stat(w.home + "/notes/late.txt"); err == nil {
		t.Error("the file was written")
	}
	s.press("y")
	s.see("The late file is written.")
	s.quit()
}

func TestScreenDenied(t *testing.T) {
	w := newWorld(t)
	s := w.chat()
	s.enter("[[wait-write]] a file")
	s.read("Allow this call?")
	s.press("n")
	s.see("was refused")
	if _, err := os.Stat(w.home + "/notes/late.txt"); err == nil {
		t.Error("the file was written")
	}
	s.quit()
}

func TestScreenSentence(t *testing.T) {
	w := newWorld(t)
	s := w.openTerminal(w.command(t.Context(), "--model", tinymodel.Tools), 160, 30)
	s.see("Ask anything")
	s.enter("[[slow-tool]] wait")
	s.see("Using Trigger Long Running Operation Tool on everything…")
	s.see(`Trigger Long Running Operation Tool on everything · "Working on it for the test"`)
	s.press("\x1b")
	s.see("Stopped")
	s.quit()
}

func TestScreenError(t *testing.T) {
	w := newWorld(t)
	w.traffic.faults = func(request int) fault {
		if request < 3 {
			return breakReply
		}
		return noFault
	}
	s := w.chat()
	s.enter("[[stumbles]] please")
	s.see("✗ ")
	s.enter("[[answer]] again")
	s.see("plain answer")
	s.quit()
}

func TestScreenRepeats(t *testing.T) {
	s := newWorld(t).chat()
	s.enter("[[stuck]] please")
	s.see("again-and-again")
	s.see("The answer repeats itself.")
	s.enter("[[answer]] again")
	s.see("plain answer")
	s.quit()
}

func TestScreenGaveUp(t *testing.T) {
	s := newWorld(t).chat()
	s.enter("[[gives-up]] coffee, please")
	screen := s.see("no tool that could brew coffee")
	if strings.Contains(screen, "[cannot]") {
		t.Errorf("the marker of the system prompt is shown:\n%s", screen)
	}
	s.quit()
}

func TestScreenModelServerKilled(t *testing.T) {
	w := newWorld(t)
	server, err := startServer(t.Context(), t.TempDir())
	must(t, err)
	defer server.Kill()
	w.configure(server.URL, "")
	s := w.chat()
	s.enter("[[endless]] talk")
	s.see("endless-3")
	server.Kill()
	s.see("what to do", saysHowToStart)
	s.see("endless-")
	s.quit()
}

// TestScreenClosed closes the window during a reply. newWorld checks that no process is left.
func TestScreenClosed(t *testing.T) {
	s := newWorld(t).chat()
	s.enter("[[endless]] talk")
	s.see("endless-3")
	s.term.Close(t.Context())
}

func TestScreenResizedDuringReply(t *testing.T) {
	s := newWorld(t).chat()
	s.enter("[[long]] list")
	s.see("Item number")
	for _, size := range [][2]int{{40, 20}, {20, 5}, {120, 40}} {
		must(t, s.term.Resize(size[0], size[1]))
	}
	s.see("That was the long answer.")
	s.see("Ask anything")
	s.quit()
}
