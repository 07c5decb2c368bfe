//go:build e2e && unix

package e2e

import (
	"bufio"
	"context"
	"encoding/json"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// served are the scenarios of the conformance suite that are about servers with nothing but tools, and how many checks succeed in each.
// All others want tools, prompts or resources of certain names, and abilities that our servers do not say they have: logging, completion,
// subscriptions, input from a person, tasks. A count that is lower means that something was not looked at.
var served = map[string]map[string]int{
	"2025-11-25": {
		"server-initialize": 3, "server-session-lifecycle": 3, "ping": 2, "tools-list": 3, "server-sse-multiple-streams": 1, "dns-rebinding-protection": 2,
	},
	"2026-07-28": {
		"server-stateless": 22, "tools-list": 3, "server-sse-multiple-streams": 1, "dns-rebinding-protection": 2, "http-header-validation": 14, "caching": 4,
		"sep-2164-resource-not-found": 2, "input-required-result-unsupported-methods": 2,
	},
}

// check is one check of the suite.
type check struct {
	ID, Status, ErrorMessage string
}

// unsure tells whether a check may go either way: mcp-go ends a subscription to nothing at once, sometimes before its own acknowledgement is out,
// and whether the order of tools stays the same is looked at only where there are two.
func (c check) unsure() bool {
	return c.ID == "sep-2575-server-sends-subscription-ack" || c.ID == "sep-2575-server-tags-subscription-id" || c.ID == "tools-list-deterministic-order"
}

// excused tells whether a check failed only because it asks for what our servers do not offer, and do not say they do.
func (c check) excused() bool {
	return strings.HasPrefix(c.ErrorMessage, "Not testable: server does not list the diagnostic tool") ||
		strings.HasSuffix(c.ErrorMessage, "prompts not supported") || strings.HasSuffix(c.ErrorMessage, "resources not supported")
}

func TestBuiltInServersConform(t *testing.T) {
	suite, err := script(t.Context(), "./install-conformance.sh")
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"files", "fetch", "clock"} {
		w := newWorld(t)
		url := w.serveOverHTTP(name)
		for _, revision := range slices.Sorted(maps.Keys(served)) {
			results := t.TempDir()
			run := exec.CommandContext(t.Context(), filepath.Join(suite, "node"), "-r", filepath.Join(suite, "loopback.cjs"),
				filepath.Join(suite, "node_modules/@modelcontextprotocol/conformance/dist/index.js"), "server", "--url", url, "--requirements", revision, "-o", results)
			_ = run.Run() // it fails because of the scenarios that are not about us
			for scenario, want := range served[revision] {
				succeeded := 0
				for _, c := range checks(t, results, scenario) {
					switch {
					case c.unsure():
					case c.Status == "SUCCESS":
						succeeded++
					case c.Status == "FAILURE" && !c.excused():
						t.Errorf("%s, %s, %s: %s failed: %s", name, revision, scenario, c.ID, c.ErrorMessage)
					}
				}
				if succeeded != want {
					t.Errorf("%s, %s, %s: %d checks succeed, want %d", name, revision, scenario, succeeded, want)
				}
			}
		}
	}
}

// checks reads what became of one scenario.
func checks(t *testing.T, results, scenario string) (all []check) {
	t.Helper()
	files, _ := filepath.Glob(filepath.Join(results, "server-"+scenario+"-*", "checks.json")) // the pattern is well formed
	if len(files) != 1 {
		t.Errorf("%s was run %d times", scenario, len(files))
		return nil
	}
	text, err := os.ReadFile(files[0])
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(text, &all); err != nil {
		t.Fatal(err)
	}
	return all
}

// serveOverHTTP runs a built-in server on a port of this machine until the test ends, and gives its address.
func (w *world) serveOverHTTP(name string) string {
	w.t.Helper()
	serve := w.command(context.WithoutCancel(w.t.Context()), "serve", name, "--http", "127.0.0.1:0")
	says, err := serve.StderrPipe()
	if err != nil {
		w.t.Fatal(err)
	}
	if err := serve.Start(); err != nil {
		w.t.Fatal(err)
	}
	w.t.Cleanup(func() {
		_ = serve.Process.Signal(os.Interrupt)
		if err := serve.Wait(); err != nil {
			w.t.Errorf("serving %s ended with %v", name, err)
		}
	})
	line, err := bufio.NewReader(says).ReadString('\n')
	_, url, ok := strings.Cut(strings.TrimSpace(line), " at ")
	if err != nil || !ok {
		w.t.Fatalf("serving begins with %q, %v", line, err)
	}
	return url
}
