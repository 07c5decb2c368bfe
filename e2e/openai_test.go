//go:build e2e && unix

package e2e

import (
	"fmt"
	"strings"
	"syscall"
	"testing"

	"github.com/aloudchat/aloud/e2e/tinymodel"
)

// newOpenAIWorld returns a world that reaches the model through Ollama's OpenAI-compatible API.
func newOpenAIWorld(t testing.TB) *world {
	t.Helper()
	w := newWorld(t)
	w.write("config.toml", fmt.Sprintf(`provider = "v1"
model = %[1]q
host = %[2]q
mcp_servers.files.enabled = false
mcp_servers.fetch.enabled = false
[providers.v1]
base_url = %[3]q
model = %[1]q
context = 8192
`, tinymodel.Full, w.traffic.URL, parts.server.URL)+w.everything()+w.notes())
	return w
}

func TestOpenAI(t *testing.T) {
	w := newOpenAIWorld(t)
	for _, test := range []struct {
		args   []string
		rounds int
		ending
	}{
		{ending: ending{reason: "done", question: "[[answer]] say hello", answer: "**plain answer**"}},
		{rounds: 3,
			ending: ending{reason: "done", question: "[[chain]] count", calls: "ok ok ok", answer: "Three steps done."}},
		{args: []string{"--continue"}, rounds: 1,
			ending: ending{reason: "done", question: "[[two-tools]] use both", calls: "ok ok", answer: "Both tools answered."}},
		{rounds: 1,
			ending: ending{reason: "done", question: "[[think-tool]] think", calls: "ok", answer: "went well."}},
		{args: []string{"--think", "off"}, ending: ending{reason: "done", question: "[[think]] without", answer: "42"}},
		{args: []string{"--max-iterations", "2"}, rounds: 2,
			ending: ending{reason: "iterations", question: "[[forever]] never stop", code: 4, calls: "ok ok"}},
	} {
		r, out := w.ask(test.question, test.args...)
		test.check(t, r, out)
		if r.Rounds != test.rounds || r.Model != tinymodel.Full || r.Usage.ContextSize != 8192 {
			t.Errorf("%s: %d rounds of %q with context %d", test.question, r.Rounds, r.Model, r.Usage.ContextSize)
		}
	}
	out := w.run("-p", "[[answer]] hello", "--model", "no-such-model")
	if out.code != 3 || !strings.Contains(out.stderr, `has no model "no-such-model"`) {
		t.Errorf("exit code %d\nstderr: %s", out.code, out.stderr)
	}
	out = w.run("doctor")
	if out.code != 0 || !strings.Contains(out.stdout, parts.server.URL+"/v1") {
		t.Errorf("exit code %d\nstdout: %s\nstderr: %s", out.code, out.stdout, out.stderr)
	}
}

// TestConversationMovesBetweenProviders continues a conversation over the other API, and back.
func TestConversationMovesBetweenProviders(t *testing.T) {
	w := newOpenAIWorld(t)
	for _, args := range [][]string{
		{"[[chain]] do three steps", "--provider", "ollama"},
		{"[[two-tools]] use both", "--resume=latest"},
		{"[[tool]] and one more", "--resume=latest", "--provider", "ollama"},
	} {
		if r, out := w.ask(args[0], args[1:]...); out.code != 0 || strings.Contains(r.statuses(), "error") {
			t.Fatalf("exit code %d, %+v\nstderr: %s", out.code, r, out.stderr)
		}
	}
	if native := len(w.traffic.requests()); native != 6 {
		t.Errorf("%d requests to Ollama's own API, want 4 and 2", native)
	}
}

// TestOpenAIThinking checks that thoughts come as events of their own, before the answer and not in it.
func TestOpenAIThinking(t *testing.T) {
	w := newOpenAIWorld(t)
	out := w.run("--output", "stream-json", "-p", "[[think]] think first")
	thoughts, answer := strings.Index(out.stdout, `"type":"thinking"`), strings.Index(out.stdout, "Done thinking")
	if out.code != 0 || thoughts < 0 || answer < thoughts {
		t.Errorf("exit code %d\nstdout: %s\nstderr: %s", out.code, out.stdout, out.stderr)
	}
}

func TestOpenAIStops(t *testing.T) {
	w := newOpenAIWorld(t)
	cmd := w.start("-p", "[[endless]] talk")
	w.waitForSession("endless-20")
	cmd.signal(syscall.SIGTERM)
	if out := cmd.wait(); out.code != 130 || !strings.Contains(out.stdout, "endless-20") {
		t.Errorf("exit code %d\nstdout: %s\nstderr: %s", out.code, out.stdout, out.stderr)
	}
}
