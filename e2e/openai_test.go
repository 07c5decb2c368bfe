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
	w.write("config.toml", fmt.Sprintf("provider = \"v1\"\nmodel = %q\nhost = %q\n[providers.v1]\nbase_url = %q\nmodel = %q\ncontext = 8192\n\n[mcp_servers.files]\nenabled = false\n"+
		"\n[mcp_servers.fetch]\nenabled = false\n%s%s", tinymodel.Full, w.traffic.URL, parts.server.URL, tinymodel.Full, w.everything(), w.notes()))
	return w
}

func TestOpenAIPlainAnswer(t *testing.T) {
	w := newOpenAIWorld(t)
	r, out := w.ask("[[answer]] say hello")
	if out.code != 0 || r.Stop.Reason != "done" || !strings.Contains(r.Answer, "**plain answer**") || !strings.Contains(r.Answer, "☃ 日本") {
		t.Errorf("exit code %d, %+v\nstderr: %s", out.code, r, out.stderr)
	}
	if r.Model != tinymodel.Full || r.Usage.ContextSize != 8192 {
		t.Errorf("model %q with context %d", r.Model, r.Usage.ContextSize)
	}
}

func TestOpenAIChainOfTools(t *testing.T) {
	w := newOpenAIWorld(t)
	r, out := w.ask("[[chain]] do three steps")
	if out.code != 0 || r.Stop.Reason != "done" || r.Rounds != 3 || r.statuses() != "ok ok ok" || !strings.Contains(r.Answer, "Three steps done.") {
		t.Errorf("exit code %d, %+v\nstderr: %s", out.code, r, out.stderr)
	}
	r, out = w.ask("[[two-tools]] use both", "--continue")
	if out.code != 0 || r.Rounds != 1 || r.statuses() != "ok ok" || !strings.Contains(r.Answer, "Both tools answered.") {
		t.Errorf("exit code %d, %+v\nstderr: %s", out.code, r, out.stderr)
	}
}

// TestConversationMovesBetweenProviders continues a conversation over the other API, and back.
func TestConversationMovesBetweenProviders(t *testing.T) {
	w := newOpenAIWorld(t)
	if r, out := w.ask("[[chain]] do three steps", "--provider", "ollama"); out.code != 0 || r.statuses() != "ok ok ok" {
		t.Fatalf("exit code %d, %+v\nstderr: %s", out.code, r, out.stderr)
	}
	if r, out := w.ask("[[two-tools]] use both", "--resume=latest"); out.code != 0 || r.statuses() != "ok ok" {
		t.Fatalf("exit code %d, %+v\nstderr: %s", out.code, r, out.stderr)
	}
	if r, out := w.ask("[[tool]] and one more", "--resume=latest", "--provider", "ollama"); out.code != 0 || r.statuses() != "ok" {
		t.Errorf("exit code %d, %+v\nstderr: %s", out.code, r, out.stderr)
	}
	if native := len(w.traffic.requests()); native != 6 {
		t.Errorf("%d requests went over Ollama's own API, want 4 and 2", native)
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
	r, out := w.ask("[[think-tool]] think and call")
	if out.code != 0 || r.statuses() != "ok" || strings.TrimSpace(r.Answer) != "Thinking and calling went well." {
		t.Errorf("exit code %d, %+v\nstderr: %s", out.code, r, out.stderr)
	}
	if r, out = w.ask("[[think]] without", "--think", "off"); out.code != 0 || !strings.Contains(r.Answer, "42") {
		t.Errorf("exit code %d, %+v\nstderr: %s", out.code, r, out.stderr)
	}
}

func TestOpenAILimitsAndFailures(t *testing.T) {
	w := newOpenAIWorld(t)
	r, out := w.ask("[[forever]] never stop", "--max-iterations", "2")
	if out.code != 4 || r.Stop.Reason != "iterations" || r.Rounds != 2 {
		t.Errorf("exit code %d, %+v\nstderr: %s", out.code, r, out.stderr)
	}
	if r, out = w.ask("[[answer]] hello", "--model", "no-such-model"); out.code != 3 || !strings.Contains(out.stderr, `has no model "no-such-model"`) {
		t.Errorf("exit code %d, %+v\nstderr: %s", out.code, r, out.stderr)
	}
	if out := w.run("doctor"); out.code != 0 || !strings.Contains(out.stdout, parts.server.URL+"/v1") || !strings.Contains(out.stdout, tinymodel.Full) {
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
