//go:build e2e && unix

package e2e

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"os/exec"
	"strings"
	"testing"
)

// configureAll configures three reference servers with all their tools.
func (w *world) configureAll() {
	w.t.Helper()
	w.configure(w.traffic.URL, w.stdio("everything", "stdio")+w.stdio("filesystem", w.home+"/notes")+w.memory())
}

// memory returns the table of the reference server memory.
func (w *world) memory() string {
	return w.stdio("memory") + fmt.Sprintf("env = { MEMORY_FILE_PATH = %q }\n", w.home+"/memory.jsonl")
}

func TestListServers(t *testing.T) {
	w := newWorld(t)
	w.configureAll()
	var servers []struct {
		Name, State, Detail string
		Tools               int
	}
	decode(t, w.run("mcp", "list", "--output", "json"), &servers)
	tools := map[string]int{}
	for _, s := range servers {
		if s.State == "ready" {
			tools[s.Name] = s.Tools
		}
	}
	for name, least := range map[string]int{"clock": 1, "everything": 10, "notes": 10, "memory": 5} {
		if tools[name] < least {
			t.Errorf("the server %q has %d tools, want at least %d; servers: %+v", name, tools[name], least, servers)
		}
	}
	if text := w.run("mcp", "list"); text.code != 0 || !strings.Contains(text.stdout, "everything") {
		t.Errorf("mcp list: exit code %d\n%s%s", text.code, text.stdout, text.stderr)
	}
}

func decode(t testing.TB, out outcome, into any) {
	t.Helper()
	if out.code != 0 {
		t.Fatalf("exit code %d\nstderr: %s", out.code, out.stderr)
	}
	if err := json.Unmarshal([]byte(out.stdout), into); err != nil {
		t.Fatalf("no JSON: %v\n%s", err, out.stdout)
	}
}

func TestServerOverHTTP(t *testing.T) {
	w := newWorld(t)
	url := startHTTPServer(t, w)
	w.configure(w.traffic.URL, fmt.Sprintf("\n[mcp_servers.everything]\nurl = %q\ntrusted = true\n"+
		"enabled_tools = [\"echo\", \"get-sum\"]\n", url))
	r, out := w.ask("[[two-tools]] over HTTP")
	if out.code != 0 || r.statuses() != "ok ok" || !strings.Contains(r.Answer, "Both tools answered.") {
		t.Errorf("exit code %d, calls %+v, answer %q\nstderr: %s", out.code, r.ToolCalls, r.Answer, out.stderr)
	}
}

// anyPort makes a Node.js program listen on a free port of the loopback interface and print the port.
const anyPort = `
const { Server } = require("net")
const listen = Server.prototype.listen
Server.prototype.listen = function (port, done) {
	return listen.call(this, 0, "127.0.0.1", () => {
		console.error("listens on port", this.address().port)
		done?.()
	})
}
`

// startHTTPServer runs server-everything over streamable HTTP until the test ends.
func startHTTPServer(t testing.TB, w *world) (url string) {
	t.Helper()
	script := w.write("any-port.cjs", anyPort)
	cmd := exec.Command("node", "--require", script, serverProgram("everything"), "streamableHttp")
	cmd.Dir = w.home
	stderr, err := cmd.StderrPipe()
	must(t, err)
	must(t, cmd.Start())
	lines := bufio.NewScanner(stderr)
	t.Cleanup(func() {
		_ = cmd.Process.Kill() // fails if it has ended
		_, _ = io.Copy(io.Discard, stderr)
		_ = cmd.Wait()
	})
	for lines.Scan() {
		if _, port, ok := strings.Cut(lines.Text(), "listens on port "); ok {
			return "http://127.0.0.1:" + port + "/mcp"
		}
	}
	t.Fatal("server-everything ended before it listened")
	return ""
}
