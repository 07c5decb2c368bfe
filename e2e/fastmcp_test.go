//go:build e2e && unix

package e2e

import (
	"bufio"
	"fmt"
	"net/http"
	"os/exec"
	"strings"
	"testing"
)

// startFastMCP runs fastmcp/server.py until the test ends, and returns its address without a path.
func startFastMCP(t *testing.T) (home string) {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), parts.fastmcp, "fastmcp/server.py")
	stdout, err := cmd.StdoutPipe()
	if err == nil {
		err = cmd.Start()
	}
	must(t, err)
	t.Cleanup(func() {
		_ = cmd.Process.Kill() // fails if it has ended
		_ = cmd.Wait()
	})
	lines := bufio.NewScanner(stdout)
	if !lines.Scan() {
		t.Fatal("the FastMCP server ended before it listened")
	}
	return lines.Text()
}

// TestLoginAtFastMCP logs in to a server with the OAuth provider of FastMCP, which is that of the Python SDK.
func TestLoginAtFastMCP(t *testing.T) {
	w := newWorld(t)
	home := startFastMCP(t)
	w.configure(w.traffic.URL, fmt.Sprintf("\n[mcp_servers.vault]\nurl = %q\n", home+"/mcp"))
	forget := func(what string) {
		t.Helper()
		response, err := http.Post(home+"/forget/"+what, "", nil)
		must(t, err)
		response.Body.Close()
	}
	// aloud runs a command, with a browser that follows the redirects of the login page.
	aloud := func(code int, says string, args ...string) {
		t.Helper()
		cmd := w.command(t.Context(), args...)
		cmd.Env = append(cmd.Env, "BROWSER=node -e fetch(process.argv[1])")
		out, _ := cmd.CombinedOutput() // the exit code is compared
		if cmd.ProcessState.ExitCode() != code || !strings.Contains(string(out), says) {
			t.Errorf("%v: exit code %d, want %d and %q:\n%s", args, cmd.ProcessState.ExitCode(), code, says, out)
		}
	}
	const needsLogin = "aloud mcp login vault"
	aloud(1, needsLogin, "mcp", "call", "vault", "look")
	aloud(0, "Logged in to vault.", "mcp", "login", "vault")
	aloud(0, "look: done", "mcp", "call", "vault", "look")

	forget("access")
	aloud(0, "look: done", "mcp", "call", "vault", "look") // with a new token

	for _, what := range []string{"logins", "clients"} {
		forget(what)
		aloud(1, needsLogin, "mcp", "call", "vault", "look")
		aloud(0, "Logged in to vault.", "mcp", "login", "vault")
		aloud(0, "look: done", "mcp", "call", "vault", "look")
	}

	aloud(0, "Logged out of vault.", "mcp", "logout", "vault")
	aloud(1, needsLogin, "mcp", "call", "vault", "look")
}
