//go:build e2e && unix

package e2e

import (
	"bufio"
	"encoding/json"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/aloudchat/aloud/e2e/tinymodel"
)

// nameOnly is the setting with which no sentence takes the place of a tool's name.
const nameOnly = "status.style = \"name\"\n"

// stageScripts have the model call the tool of the stage.
func stageScripts() map[string]tinymodel.Script {
	return map[string]tinymodel.Script{
		"index": {{Text: indexPart(1)}, {Text: "It is indexed.\n"}},
		"parts": {{Text: indexPart(2)}, {Text: indexPart(3)}, {Text: "Both parts are indexed.\n"}},
	}
}

func indexPart(n int) string {
	return fmt.Sprintf("<tool_call>\n{\"name\": \"code__index_repository\", \"arguments\": {\"part\": %d}}\n</tool_call>", n)
}

// stagedWorld is a world with the slow server alone, and the stage from which that is told what to do.
func stagedWorld(t *testing.T) (*world, *stage) {
	t.Helper()
	w := newWorld(t)
	s := newStage(t, w.home)
	w.traffic = listenIn(t, serverWith(t, stageScripts()).URL)
	w.settings = nameOnly
	w.configure(w.traffic.URL, s.table())
	return w, s
}

func TestScreenProgress(t *testing.T) {
	w, stage := stagedWorld(t)
	s := w.chat()
	s.enter("[[index]] please")
	s.see("Using Index Repository")
	call := stage.call()
	for _, told := range []struct {
		done, total float64
		message     string
		shown       string
	}{
		{7, 0, "", "Index Repository · 7 ·"},
		{40, 120, "", "Index Repository · 40/120 ·"},
		{41, 120, "parsing main.go", "Index Repository · 41/120 · parsing main.go ·"},
		{5, 200, "", "Index Repository · 5/200 ·"},
		{6, 200, "a \x1b]0;owned\x07\x1b[31mred\u202e one", "Index Repository · 6/200 · a"},
	} {
		call.progress(told.done, told.total, told.message)
		screen := s.see(told.shown)
		if strings.ContainsAny(screen, "\x1b\x07\u202e") {
			t.Errorf("a message of the tool is shown as %q", screen)
		}
	}
	call.end("42 files")
	s.see("It is indexed.")
	s.leave()
}

func TestScreenProgressOfAReferenceServer(t *testing.T) {
	w := newWorld(t)
	w.settings = nameOnly
	w.configure(w.traffic.URL, w.everything())
	s := w.chat()
	s.enter("[[slow-chain]] please")
	s.see("some of four steps", regexp.MustCompile(`Trigger Long Running Operation Tool · [1-3]/4`).MatchString)
	s.see("The slow steps are done.")
	s.leave()
}

// TestAFloodOfProgressLeavesTheScreenAlone: whoever types sees it, the line is not redrawn more often than one can read, and ends with the last number.
func TestAFloodOfProgressLeavesTheScreenAlone(t *testing.T) {
	const flood, typed = 10_000, "typed while it counts"
	home := t.TempDir()
	stage := newStage(t, home)
	m := startMeter(t, stage.command(t, serverWith(t, stageScripts()).URL, ""), 100, 30)
	m.see("Ask anything")
	m.press("[[index]] please\r")
	m.see("Using Index Repository")
	call := stage.call()

	began, sent, cpu := time.Now(), m.bytes(), m.cpu()
	over := make(chan error, 1)
	go func() { over <- call.step(map[string]any{"flood": flood, "over": 1000, "total": flood}) }()
	meanwhile := 0
	for n := range typed {
		m.press(typed[n : n+1])
		m.see(typed[:n+1])
		if len(over) == 0 {
			meanwhile++
		}
	}
	if err := <-over; err != nil {
		t.Fatal(err)
	}
	m.see("Index Repository · 10000/10000")
	took := time.Since(began)
	sent, cpu = m.bytes()-sent, m.cpu()-cpu
	t.Logf("%d notifications in %v: %v of CPU time, %d bytes for the terminal, %d keys seen meanwhile", flood, took, cpu, sent, meanwhile)
	if meanwhile == 0 {
		t.Error("no key was shown before the flood was over")
	}
	if sent > flood*3 {
		t.Errorf("the terminal was sent %d bytes: every number seems to be drawn", sent)
	}
	call.end("all of it")
	m.see("It is indexed.")
	m.see(typed) // the draft is still there
}

// TestAFloodOfProgressIsAFewEvents: a script that reads the stream gets what a person can read.
func TestAFloodOfProgressIsAFewEvents(t *testing.T) {
	w, stage := stagedWorld(t)
	cmd := w.command(t.Context(), "--output", "stream-json", "-p", "[[index]] please")
	stdout, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	call := stage.call()
	began, told, last := time.Now(), 0, make(chan struct{})
	read := make(chan struct{})
	go func() {
		defer close(read)
		for lines := bufio.NewScanner(stdout); lines.Scan(); {
			if strings.Contains(lines.Text(), "Index Repository · ") {
				told++
			}
			if strings.Contains(lines.Text(), "the last word") {
				close(last)
			}
		}
	}()
	call.do(map[string]any{"flood": 10_000, "over": 1000, "total": 10_000})
	call.progress(10_000, 10_000, "the last word")
	select {
	case <-last:
	case <-time.After(patience):
		t.Error("the last progress was not told")
	}
	took := time.Since(began)
	call.end("all of it")
	<-read
	if err := cmd.Wait(); err != nil {
		t.Error(err)
	}
	if most := 4*int(took.Seconds()+1) + 2; told > most {
		t.Errorf("there are %d lines on progress in %v, want at most %d", told, took, most)
	}
}

// A stage is a home with one tool server, the slow one, and the place from which that is told what to do.
type stage struct {
	t       testing.TB
	home    string
	program string
	calls   *net.TCPListener
}

func newStage(t testing.TB, home string) *stage {
	t.Helper()
	s := &stage{t: t, home: home}
	s.program = filepath.Join(s.home, "slowserver")
	if out, err := exec.Command("go", "build", "-o", s.program, "./slowserver").CombinedOutput(); err != nil {
		t.Fatalf("the slow server does not build: %s", out)
	}
	var err error
	if s.calls, err = net.ListenTCP("tcp", &net.TCPAddr{IP: net.IPv4(127, 0, 0, 1)}); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.calls.Close() })
	return s
}

// command is aloud with this server, in a home of its own. settings are more keys of the configuration.
func (s *stage) command(t testing.TB, model, settings string, args ...string) *exec.Cmd {
	t.Helper()
	config := filepath.Join(s.home, "config.toml")
	text := fmt.Sprintf("model = %q\nhost = %q\n%s%s\n[mcp_servers.files]\nenabled = false\n[mcp_servers.fetch]\nenabled = false\n%s",
		tinymodel.Full, model, nameOnly, settings, s.table())
	if err := os.WriteFile(config, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), parts.aloud, append([]string{"--config", config}, args...)...)
	cmd.Dir = s.home
	cmd.Env = []string{"HOME=" + s.home, "PATH=" + os.Getenv("PATH"), "LANG=C.UTF-8", "TERM=xterm-256color", "COLORTERM=truecolor",
		"XDG_STATE_HOME=" + filepath.Join(s.home, "state")}
	return cmd
}

// table is that of the slow server in the configuration.
func (s *stage) table() string {
	return fmt.Sprintf("\n[mcp_servers.code]\ncommand = %q\nargs = [%q]\ntrusted = true\n", s.program, s.calls.Addr().String())
}

// A runningCall is a call of the slow tool, which does what it is told.
type runningCall struct {
	t    testing.TB
	conn net.Conn
	said *bufio.Reader
}

// call waits until the tool is called.
func (s *stage) call() *runningCall {
	s.t.Helper()
	if err := s.calls.SetDeadline(time.Now().Add(patience)); err != nil {
		s.t.Fatal(err)
	}
	conn, err := s.calls.Accept()
	if err != nil {
		s.t.Fatalf("the tool is not called: %v", err)
	}
	s.t.Cleanup(func() { conn.Close() })
	return &runningCall{s.t, conn, bufio.NewReader(conn)}
}

// progress has the tool tell how far it is. A total of 0 is not told.
func (c *runningCall) progress(done, total float64, message string) {
	c.t.Helper()
	c.do(map[string]any{"progress": done, "total": total, "message": message})
}

// end has the tool return a result.
func (c *runningCall) end(result string) {
	c.t.Helper()
	if err := json.NewEncoder(c.conn).Encode(map[string]any{"result": result}); err != nil {
		c.t.Fatal(err)
	}
}

// do tells the tool a step and waits until it is done.
func (c *runningCall) do(step map[string]any) {
	c.t.Helper()
	if err := c.step(step); err != nil {
		c.t.Fatal(err)
	}
}

func (c *runningCall) step(step map[string]any) error {
	if err := json.NewEncoder(c.conn).Encode(step); err != nil {
		return err
	}
	_, err := c.said.ReadString('\n')
	return err
}
