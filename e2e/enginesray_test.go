//go:build e2e && engines && unix

package e2e

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"syscall"
	"testing"
)

// TestRay plays the stories with two replicas of a server in Ray Serve, and kills one of them during answers.
func TestRay(t *testing.T) {
	p := startOpenAI(t, 2)
	playAt(t, p)
	playWrongKey(t, p)
	t.Run(p.name+"/a replica is killed during answers", func(t *testing.T) { playKilledReplica(newPlaceWorld(t, p), p) })
}

// playKilledReplica checks that every answer ends, that the text of a broken one is kept, and that the other replica
// answers its question again: by itself if the stream ended as if it were complete, or else on /retry.
func playKilledReplica(w *world, p place) {
	var all []*running
	for _, animal := range []string{"fox", "bear", "cat"} {
		all = append(all, w.start("--no-tools", "--model", p.long, "--output", "stream-json", "-p",
			fmt.Sprintf("Tell me a long story about a %s.", animal)))
	}
	if !eventually(func() bool { return w.answering() >= 2 }) {
		w.t.Fatalf("%d answers have begun, want one from each replica", w.answering())
	}
	killReplica(w.t, p)
	broken := ""
	for _, r := range all {
		out := r.wait()
		lines := strings.Split(strings.TrimSpace(out.stdout), "\n")
		result := parseResult(w.t, outcome{stdout: lines[len(lines)-1], stderr: out.stderr})
		w.t.Logf("%d lines, exit code %d, %.60q, %s", len(lines), out.code, result.Answer, out.stderr)
		lost := strings.Contains(out.stderr, "lost the connection to the model server")
		if result.Answer == "" || lost != (out.code == 1) {
			w.t.Errorf("exit code %d, %+v\nstderr: %s", out.code, result, out.stderr)
		}
		if lost || strings.Contains(out.stdout, "Retrying") {
			broken = result.Session
		}
		shown := w.run("sessions", "show", result.Session)
		if first, _, _ := strings.Cut(result.Answer, "\n"); !strings.Contains(shown.stdout, first) {
			w.t.Errorf("the session lacks the text %q:\n%s", first, shown.stdout)
		}
	}
	if broken == "" {
		w.t.Fatal("no answer was broken: the killed replica wrote none")
	}
	s := w.chat("--no-tools", "--model", "real", "--resume="+broken)
	s.see("Tell me a long story")
	s.press("/retry")
	s.see("› /retry")
	s.press("\r")
	file := filepath.Join(w.home, "state", "aloud", "sessions", broken+".jsonl")
	if !eventually(func() bool {
		text, _ := os.ReadFile(file) // it has no end then
		return bytes.Count(text, []byte(`"type":"end"`)) == 2
	}) {
		w.t.Errorf("/retry brought no answer:\n%s", s.term.Screen())
	}
	s.see("the new answer", func(screen string) bool { return !strings.Contains(screen, "✗") })
	s.quit()
}

// answering returns how many saved conversations have a part of an answer, but not its end.
func (w *world) answering() (n int) {
	files, _ := filepath.Glob(filepath.Join(w.home, "state", "aloud", "sessions", "*")) // the pattern is valid
	for _, file := range files {
		text, _ := os.ReadFile(file) // it may be gone
		if bytes.Contains(text, []byte(`"delta"`)) && !bytes.Contains(text, []byte(`"type":"end"`)) {
			n++
		}
	}
	return n
}

// replicaID is how Ray Serve's log names the process of a replica.
var replicaID = regexp.MustCompile(`ServeReplica:chat:chat pid=(\d+)`)

// killReplica kills a replica that the log names.
func killReplica(t testing.TB, p place) {
	t.Helper()
	for _, match := range replicaID.FindAllStringSubmatch(p.log(), -1) {
		pid, err := strconv.Atoi(match[1])
		must(t, err)
		if syscall.Kill(pid, syscall.SIGKILL) == nil {
			return
		}
	}
	t.Fatal("the log names no replica that runs")
}
