//go:build e2e && unix

package e2e

import (
	"bufio"
	"encoding/json"
	"fmt"
	"net"
	"strings"
	"testing"
	"time"

	"github.com/aloudchat/aloud/e2e/tinymodel"
)

// nameOnly shows the tool's name instead of a sentence.
const nameOnly = "status.style = \"name\"\n"

// stageScripts are scripts that call the tool of the stage.
func stageScripts() map[string]tinymodel.Script {
	return map[string]tinymodel.Script{
		"index": {{Text: indexPart(1)}, {Text: "It is indexed.\n"}},
		"parts": {{Text: indexPart(2)}, {Text: indexPart(3)}, {Text: "Both parts are indexed.\n"}},
	}
}

func indexPart(n int) string {
	return fmt.Sprintf("<tool_call>\n{\"name\": \"code__index_repository\", \"arguments\": {\"part\": %d}}\n"+
		"</tool_call>", n)
}

func TestScreenProgress(t *testing.T) {
	w, stage := worldWithStage(t, startScriptServer(t, stageScripts()).URL)
	s := w.chat()
	s.enter("[[index]] please")
	s.see("Using Index Repository")
	call := stage.call()
	for _, test := range []struct {
		done, total float64
		message     string
		shown       string
	}{
		{7, 0, "", "Index Repository on code · 7 ·"},
		{40, 120, "", "Index Repository on code · 40/120 ·"},
		{41, 120, "parsing main.go", "Index Repository on code · 41/120 · parsing main.go ·"},
		{5, 200, "", "Index Repository on code · 5/200 ·"},
		{6, 200, "a \x1b]0;owned\x07\x1b[31mred\u202e one", "Index Repository on code · 6/200 · a"},
	} {
		call.progress(test.done, test.total, test.message)
		screen := s.see(test.shown)
		if strings.ContainsAny(screen, "\x1b\x07\u202e") {
			t.Errorf("the screen has control characters: %q", screen)
		}
	}
	call.end("42 files")
	s.see("It is indexed.")
	s.quit()
}

// TestScreenProgressFlood checks that typing works, that the line is not redrawn for every notification, and that it
// ends with the last number.
func TestScreenProgressFlood(t *testing.T) {
	const flood, typed = 10_000, "typed-while-it-counts"
	w, stage := worldWithStage(t, startScriptServer(t, stageScripts()).URL)
	s := w.chat()
	s.press("[[index]] please\r")
	s.see("Using Index Repository")
	call := stage.call()

	began, sent, cpu := time.Now(), s.term.Written(), s.cpu()
	over := make(chan error, 1)
	go func() { over <- call.step(map[string]any{"flood": flood, "over": 1000, "total": flood}) }()
	meanwhile := 0
	for n := range typed {
		s.press(typed[n : n+1])
		s.see(typed[:n+1])
		if len(over) == 0 {
			meanwhile++
		}
	}
	must(t, <-over)
	s.see("Index Repository on code · 10000/10000")
	took := time.Since(began)
	sent, cpu = s.term.Written()-sent, s.cpu()-cpu
	t.Logf("%d notifications in %v: %v of CPU time, %d bytes written, %d keys shown", flood, took, cpu, sent, meanwhile)
	if meanwhile == 0 {
		t.Error("no key was shown during the flood")
	}
	if sent > flood*3 {
		t.Errorf("%d bytes written: the line is redrawn too often", sent)
	}
	call.end("all of it")
	s.see("It is indexed.")
	s.see(typed) // the draft is still there
}

// A stage controls the slow server of a world.
type stage struct {
	t       testing.TB
	program string
	calls   *net.TCPListener
}

// worldWithStage returns a world of the model server at address whose only MCP server is the slow server.
func worldWithStage(t testing.TB, address string) (*world, *stage) {
	t.Helper()
	w, s := newWorld(t), &stage{t: t}
	var err error
	if s.program, err = build(t.Context(), w.home, "slowserver", "./slowserver"); err != nil {
		t.Fatal(err)
	}
	if s.calls, err = net.ListenTCP("tcp", &net.TCPAddr{IP: net.IPv4(127, 0, 0, 1)}); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.calls.Close() })
	w.traffic = newTraffic(t, address)
	w.settings = nameOnly
	w.configure(w.traffic.URL, s.table())
	return w, s
}

// table returns the slow server's table of the configuration.
func (s *stage) table() string {
	return fmt.Sprintf("\n[mcp_servers.code]\ncommand = %q\nargs = [%q]\ntrusted = true\n", s.program, s.calls.Addr())
}

// A runningCall controls a call of the slow tool.
type runningCall struct {
	t    testing.TB
	conn net.Conn
	said *bufio.Reader
}

// call waits until the tool is called.
func (s *stage) call() *runningCall {
	s.t.Helper()
	must(s.t, s.calls.SetDeadline(time.Now().Add(waitLimit)))
	conn, err := s.calls.Accept()
	if err != nil {
		s.t.Fatalf("the tool is not called: %v", err)
	}
	s.t.Cleanup(func() { conn.Close() })
	return &runningCall{s.t, conn, bufio.NewReader(conn)}
}

// progress has the tool send a progress notification. A total of 0 is left out.
func (c *runningCall) progress(done, total float64, message string) {
	c.t.Helper()
	c.do(map[string]any{"progress": done, "total": total, "message": message})
}

// end has the tool return a result.
func (c *runningCall) end(result string) {
	c.t.Helper()
	must(c.t, json.NewEncoder(c.conn).Encode(map[string]any{"result": result}))
}

// do has the tool do a step and waits for it.
func (c *runningCall) do(step map[string]any) {
	c.t.Helper()
	must(c.t, c.step(step))
}

func (c *runningCall) step(step map[string]any) error {
	if err := json.NewEncoder(c.conn).Encode(step); err != nil {
		return err
	}
	_, err := c.said.ReadString('\n')
	return err
}
