//go:build e2e && unix

package conformance

import (
	"bufio"
	"context"
	"maps"
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"
)

// served has the number of passed checks of the scenarios for servers that only have tools. All other scenarios need
// tools, prompts or resources with certain names, or capabilities that the built-in servers do not declare. A lower
// number means that a check did not run.
var served = map[string]map[string]int{
	"2025-11-25": {
		"server-initialize": 3, "server-session-lifecycle": 3, "ping": 2, "tools-list": 3,
		"server-sse-multiple-streams": 2, "dns-rebinding-protection": 2,
	},
	"2026-07-28": {
		"server-stateless": 22, "tools-list": 3, "server-sse-multiple-streams": 2, "dns-rebinding-protection": 2,
		"http-header-validation": 5, "caching": 4, "input-required-result-unsupported-methods": 2,
	},
}

// TestServers runs the scenarios against each built-in server.
func TestServers(t *testing.T) {
	for _, name := range []string{"files", "fetch", "clock"} {
		url := serve(t, name)
		for _, revision := range slices.Sorted(maps.Keys(served)) {
			// The error is ignored: scenarios that are not in served fail.
			verdicts, output, _ := runSuite(t, "server", "--url", url, "--requirements", revision, "--timeout", "300000")
			for scenario, want := range served[revision] {
				v, ok := verdicts["server-"+scenario]
				if !ok {
					t.Fatalf("%s, %s: the suite did not run %s:\n%s", name, revision, scenario, output)
				}
				maps.DeleteFunc(v.passed, func(check string, _ bool) bool { return isUnstable(check) })
				if name == "files" && scenario == "caching" {
					want += 2 // the lists of resources and templates
				}
				if len(v.passed) != want {
					t.Errorf("%s, %s, %s: %d checks pass, want %d: %v", name, revision, scenario, len(v.passed), want, v.passed)
				}
				for _, failure := range v.failed {
					if !isUnstable(failure) && !isOptional(failure) {
						t.Errorf("%s, %s, %s: %s", name, revision, scenario, failure)
					}
				}
			}
		}
	}
}

// isUnstable reports whether a check does not always give the same result: the order of tools is checked only if there
// are two.
func isUnstable(check string) bool { return strings.Contains(check, "tools-list-deterministic-order") }

// isOptional reports whether a failure is about an optional capability that the server does not declare.
func isOptional(failure string) bool {
	return strings.Contains(failure, "Not testable: server does not list the diagnostic tool") ||
		strings.Contains(failure, `method not found: "prompts/`) || strings.Contains(failure, `method not found: "resources/`)
}

// serve runs a built-in server on a local port until the test ends, and returns its address.
func serve(t *testing.T, name string) string {
	t.Helper()
	cmd := exec.CommandContext(context.WithoutCancel(t.Context()), parts.aloud, "serve", name,
		"--dir", t.TempDir(), "--http", "127.0.0.1:0")
	stderr, err := cmd.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = cmd.Process.Signal(os.Interrupt)
		if err := cmd.Wait(); err != nil {
			t.Errorf("serve %s: %v", name, err)
		}
	})
	line, err := bufio.NewReader(stderr).ReadString('\n')
	_, url, ok := strings.Cut(strings.TrimSpace(line), " at ")
	if err != nil || !ok {
		t.Fatalf("serve printed %q, %v", line, err)
	}
	return url
}
