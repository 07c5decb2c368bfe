//go:build e2e && unix

package e2e

import (
	"os"
	"strings"
	"testing"

	"github.com/aloudchat/aloud/e2e/tinymodel"
)

// TestModelServerKilledDuringReply starts its own server because it kills it.
func TestModelServerKilledDuringReply(t *testing.T) {
	w := newWorld(t)
	server, err := startServer(t.Context(), t.TempDir())
	must(t, err)
	defer server.Kill()
	w.configure(server.URL, "")

	cmd := w.start("--output", "json", "-p", "[[endless]] talk")
	w.waitForSession("endless-1")
	server.Kill()
	out := cmd.wait()
	r := parseResult(t, out)
	if r.Stop.Reason != "error" || out.code != 1 {
		t.Errorf("reason %q and exit code %d, want error and 1", r.Stop.Reason, out.code)
	}
	if !strings.Contains(r.Answer, "endless-0") {
		t.Errorf("the answer is %q, want the part that arrived", r.Answer)
	}
	if r.Stop.Detail == "" {
		t.Error("stop.detail is empty")
	}
	shown := w.run("sessions", "show")
	if !strings.Contains(shown.stdout, "endless-0") {
		t.Errorf("the saved conversation lacks the text:\n%s", shown.stdout)
	}
}

func TestModelWithoutTools(t *testing.T) {
	w := newWorld(t)
	out := w.run("--model", tinymodel.Plain, "-p", "hello")
	if out.code != 0 || !strings.Contains(out.stdout, "plain answer") {
		t.Errorf("exit code %d, answer %q", out.code, out.stdout)
	}
	if n := strings.Count(out.stderr, "tools"); n != 1 {
		t.Errorf("standard error has %d notices about tools, want one:\n%s", n, out.stderr)
	}
}

// TestUnparsableToolCall starts its own server: this release of Ollama may hang after it fails to parse a call.
func TestUnparsableToolCall(t *testing.T) {
	w := newWorld(t)
	server, err := startServer(t.Context(), t.TempDir())
	must(t, err)
	defer server.Kill()
	w.traffic = newTraffic(t, server.URL)
	w.traffic.faults = func(request int) fault {
		if request > 0 {
			return failParsing
		}
		return noFault
	}
	w.configure(w.traffic.URL, w.everything())
	r, out := w.ask("[[broken-call]] break", "--model", tinymodel.Loose)
	if out.code != 1 || r.Stop.Reason != "error" || !strings.Contains(r.Stop.Detail, "JSON") {
		t.Errorf("exit code %d, reason %q, detail %q; want the error of the server", out.code, r.Stop.Reason, r.Stop.Detail)
	}
	if n := len(w.traffic.requests()); n != 3 {
		t.Errorf("%d requests, want 3", n)
	}
}

func TestDoctor(t *testing.T) {
	w := newWorld(t)
	out := w.run("doctor")
	if out.code != 0 || !strings.Contains(out.stdout, tinymodel.Full) || !strings.Contains(out.stdout, "everything") {
		t.Errorf("no problems: exit code %d\n%s%s", out.code, out.stdout, out.stderr)
	}
	out = w.run("--model", "no-such-model", "doctor")
	if out.code != 3 || !strings.Contains(out.stdout+out.stderr, "no-such-model") {
		t.Errorf("no such model: exit code %d, want 3\n%s%s", out.code, out.stdout, out.stderr)
	}
}

// TestLargeMessageGetsLargeContext checks only the request: the tiny model would take long to read the message.
func TestLargeMessageGetsLargeContext(t *testing.T) {
	w := newWorld(t)
	w.configure(w.traffic.URL, "")
	file, err := os.Open(w.write("large.txt", strings.Repeat("word ", 8000)))
	must(t, err)
	defer file.Close()
	cmd := w.command(t.Context(), "-p", "[[answer]] summarise this")
	cmd.Stdin = file
	must(t, cmd.Start())
	asked := eventually(func() bool { return len(w.traffic.requests()) > 0 })
	_ = cmd.Process.Kill()
	_ = cmd.Wait()
	if !asked {
		t.Fatal("no request")
	}
	if size := w.traffic.requests()[0].Options.NumCtx; size < 10000 {
		t.Errorf("num_ctx is %d, too small for a message of 8,000 words", size)
	}
}

// saysHowToStart reports whether a text says how to start or install Ollama.
func saysHowToStart(text string) bool {
	return strings.Contains(text, "ollama serve") || strings.Contains(text, "https://ollama.com/download")
}
