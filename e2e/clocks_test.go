//go:build e2e && unix

package e2e

import (
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/aloudchat/aloud/e2e/tinymodel"
)

// suspendTime is longer than the limits of the turn, and longer than the program needs before and after on a busy
// machine.
const suspendTime = 12 * time.Second

// TestScreenSuspendDuringToolCall presses ctrl+z in a shell. The suspended time does not count, the tool continues, and
// the terminal is restored for the shell.
func TestScreenSuspendDuringToolCall(t *testing.T) {
	w, stage := worldWithStage(t, startScriptServer(t, stageScripts()).URL)
	w.settings += `limits.total_time = "10s"`
	w.configure(w.traffic.URL, stage.table())
	s := w.shell()
	began := time.Now()
	s.enter(strings.Join(w.command(t.Context()).Args, " "))
	s.see("Ask anything")
	s.enter("[[index]] please")
	s.see("Using Index Repository")
	call := stage.call()

	s.press("\x1a")
	s.seePrompt()
	s.enter("stty -a; echo here-$((6*7))")
	screen := s.see("here-42")
	for _, part := range []string{"-icanon", "-echo ", "Using"} {
		if strings.Contains(screen, part) {
			t.Errorf("the terminal is not restored for the shell: it has %q:\n%s", part, screen)
		}
	}
	time.Sleep(suspendTime)
	call.progress(40, 120, "") // the tool is not suspended
	s.enter("fg")
	screen = s.see("Index Repository on code · 40/120")
	for _, part := range []string{"[[index]] please", "Ask anything", "tiny-full"} {
		if !strings.Contains(screen, part) {
			t.Errorf("after fg the screen lacks %q:\n%s", part, screen)
		}
	}
	if strings.Contains(screen, prompt) || strings.Contains(screen, "here-42") {
		t.Errorf("after fg the output of the shell is still there:\n%s", screen)
	}
	checkClocks := func(line string) {
		for _, clock := range clocksIn(t, line) {
			if clock > time.Since(began)-suspendTime/2 {
				t.Errorf("%v after the start, suspended for %v, the screen has %q", time.Since(began), suspendTime, line)
			}
		}
	}
	checkClocks(lastLineWith(screen, "40/120"))
	call.end("42 files")
	screen = s.see("It is indexed.", func(screen string) bool { return strings.Contains(screen, "✓ 1 tool") })
	checkClocks(lastLineWith(screen, "✓ 1 tool"))
	s.leave()
	s.seePrompt()
	s.press("exit\r")
}

// TestScreenSuspendWithoutShell presses ctrl+z in the first program of a terminal, where no shell could resume it.
func TestScreenSuspendWithoutShell(t *testing.T) {
	s := newWorld(t).chat()
	s.press("\x1a")
	s.see("No shell to return to")
	s.enter("[[answer]] me")
	s.see("plain answer")
	s.quit()
}

// TestScreenStoppedBySignal stops the program with a signal that it cannot catch. After fg it sets up the terminal
// again and redraws.
func TestScreenStoppedBySignal(t *testing.T) {
	w := newWorld(t)
	s := w.shell()
	file := filepath.Join(t.TempDir(), "pid")
	s.enter("sh -c 'echo $$ > " + file + "; exec " + strings.Join(w.command(t.Context()).Args, " ") + "'")
	s.see("tiny-full")
	text, err := os.ReadFile(file)
	must(t, err)
	pid, err := strconv.Atoi(strings.TrimSpace(string(text)))
	must(t, err)
	must(t, syscall.Kill(pid, syscall.SIGSTOP))
	s.see(prompt)
	// The terminal is still in raw mode, and its replies to the program's queries may be at the beginning of the line.
	s.press("\nstty sane; echo here-$((6*7))\n")
	s.see("here-42")
	s.press("fg\r")
	s.see("the chat", func(screen string) bool {
		return strings.Contains(screen, "Ask anything") && !strings.Contains(screen, prompt)
	})
	s.enter("[[answer]] me")
	s.see("plain answer")
	s.leave()
	s.seePrompt()
	s.press("exit\r")
}

// prompt is the shell's.
const prompt = "shell>"

// shell opens a terminal with an interactive shell.
func (w *world) shell() *screen {
	w.t.Helper()
	cmd := exec.CommandContext(w.t.Context(), "sh", "-i")
	cmd.Dir, cmd.Env = w.home, append(w.command(w.t.Context()).Env, "PS1="+prompt+" ", "ENV=")
	s := w.openTerminal(cmd, 300, 30)
	s.see(prompt)
	return s
}

func (s *screen) seePrompt() {
	s.t.Helper()
	s.see(prompt, func(screen string) bool { return strings.HasSuffix(strings.TrimSpace(screen), prompt) })
}

// lastLineWith returns the last line of the screen that contains text.
func lastLineWith(screen, text string) (found string) {
	for line := range strings.Lines(screen) {
		if strings.Contains(line, text) {
			found = strings.TrimSpace(line)
		}
	}
	return found
}

var clockPattern = regexp.MustCompile(`· ([\d.]+)s\b`)

// clocksIn returns the clocks of a line in seconds.
func clocksIn(t testing.TB, line string) (list []time.Duration) {
	t.Helper()
	for _, found := range clockPattern.FindAllStringSubmatch(line, -1) {
		n, err := strconv.ParseFloat(found[1], 64)
		must(t, err)
		list = append(list, time.Duration(n*float64(time.Second)))
	}
	if len(list) == 0 {
		t.Errorf("no clock in %q", line)
	}
	return list
}

// TestScreenClockPausesForApproval checks that the clock of the turn is paused while approval is pending.
func TestScreenClockPausesForApproval(t *testing.T) {
	w, stage := worldWithStage(t, startScriptServer(t, stageScripts()).URL)
	w.configure(w.traffic.URL, strings.Replace(stage.table(), "trusted = true", "trusted = false", 1))
	s := w.chat()
	s.enter("[[parts]] please")
	s.see("Waiting for your approval · 2s") // keys right after typing are ignored
	s.press("y")
	first := stage.call()
	s.see("Using Index Repository on code… · 2s")
	first.end("42 files")

	paused := regexp.MustCompile(`Waiting for your approval · (\d+)s · .*?(\d+)s paused`)
	screen := s.see("a paused clock", func(screen string) bool { return paused.MatchString(screen) })
	before := paused.FindStringSubmatch(screen)[2]
	screen = s.see("3s of waiting", func(screen string) bool {
		found := paused.FindStringSubmatch(screen)
		return found != nil && found[1] >= "3" && found[1] <= "9"
	})
	if after := paused.FindStringSubmatch(screen)[2]; after != before {
		t.Errorf("the clock of the turn went from %ss to %ss during the approval:\n%s", before, after, screen)
	}
	s.press("y")
	second := stage.call()
	screen = s.see("Using Index Repository")
	clocks := clocksIn(t, lastLineWith(screen, "Using Index Repository"))
	if strings.Contains(screen, "paused") || clocks[len(clocks)-1] < 2*time.Second {
		t.Errorf("the clock does not go on from %ss:\n%s", before, screen)
	}
	second.end("42 files")
	s.see("Both parts are indexed.")
	s.quit()
}

// TestScreenReportsSilence checks the notice after ten seconds without a byte. The next byte removes it.
func TestScreenReportsSilence(t *testing.T) {
	w := newWorld(t)
	w.configure(w.traffic.URL, "")
	w.traffic.faults = func(request int) fault { return map[int]fault{0: pauseReply}[request] }
	s := w.chat()
	s.enter("[[answer]] me")
	s.see("silence", regexp.MustCompile(`no output for 1\ds · esc stops`).MatchString)
	close(w.traffic.resume)
	if screen := s.see("plain answer"); strings.Contains(screen, "no output") {
		t.Errorf("the notice is still shown after the reply:\n%s", screen)
	}
	s.quit()
}

// TestScreenLoadingEstimate checks that loading shows an estimate from the second time on, until it takes longer.
func TestScreenLoadingEstimate(t *testing.T) {
	server := startScriptServer(t, nil).URL
	w := newWorld(t)
	slow := &recorder{t: t, server: server, speedup: 1, ids: map[string]string{}}
	proxy := httptest.NewServer(slow)
	t.Cleanup(proxy.Close)
	w.configure(proxy.URL, "")
	start := func(load time.Duration) *screen {
		post(t, server+"/api/generate", map[string]any{"model": tinymodel.Full, "keep_alive": 0})
		slow.mu.Lock()
		slow.story = turnStory{load: load, read: seconds(0)}
		slow.mu.Unlock()
		s := w.chat()
		s.enter("[[answer]] me")
		return s
	}
	s := start(4 * time.Second)
	if screen := s.see("Loading tiny-full… · 2s"); strings.Contains(screen, "about") {
		t.Errorf("an estimate is shown at the first time:\n%s", screen)
	}
	s.see("plain answer")
	s.quit()

	s = start(8 * time.Second)
	estimate := regexp.MustCompile(`Loading tiny-full · (\d+)s of about (\d+)s`) // about 4s, or more on a busy machine
	estimated := false
	s.see("no estimate after it has passed", func(screen string) bool {
		line := lastLineWith(screen, "Loading tiny-full")
		if m := estimate.FindStringSubmatch(line); m != nil {
			estimated = true
			if len(m[1]) == len(m[2]) && m[1] >= m[2] || len(m[2]) == 1 && m[2] < "4" {
				t.Errorf("the line is %q", line)
			}
		}
		return estimated && strings.Contains(line, "Loading tiny-full… · ")
	})
	s.see("plain answer")
	s.quit()
}
