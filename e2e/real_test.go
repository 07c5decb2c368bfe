//go:build e2e && unix

package e2e

import (
	"context"
	_ "embed"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/aloudchat/aloud/e2e/ollama"
	"github.com/aloudchat/aloud/provider/event"
)

// The names of the real model. All have the same weights.
const (
	smollm2       = "smollm2"
	smollm2Copy   = "smollm2-copy"
	smollm2Thinks = "smollm2-thinks" // its template takes the thinking of earlier replies, though it writes none
)

//go:embed testdata/smollm2.tmpl
var smollm2Template string

// A realWorld is a world with a server of its own that has a real model.
type realWorld struct {
	*world
	server *ollama.Server
	model  string
}

// startRealServer starts a server with SmolLM2 under some names, with other parameters. By default its answers are the
// same in each run on a machine, and end after 200 tokens.
func startRealServer(t testing.TB, models map[string]map[string]any) *ollama.Server {
	t.Helper()
	weights, err := os.ReadFile(parts.smollm2)
	must(t, err)
	server, err := ollama.Start(context.Background(), fastOllama(), t.TempDir(), "OLLAMA_DEBUG=1")
	must(t, err)
	t.Cleanup(server.Stop)
	for name, other := range models {
		parameters := map[string]any{
			"temperature": 0, "seed": 1, "num_predict": 200, "stop": []string{"<|im_end|>", "<|im_start|>"},
			"num_thread": 1, // two threads wait for each other on a busy machine
		}
		maps.Copy(parameters, other)
		model := ollama.Model{Name: name, Template: smollm2Template, Parameters: parameters}
		if name == smollm2Thinks {
			model.Template = strings.ReplaceAll(model.Template, "{{ .Content }}",
				"{{ if .Thinking }}<think>{{ .Thinking }}</think>{{ end }}{{ .Content }}")
		}
		must(t, server.Add(t.Context(), weights, model))
	}
	return server
}

// newRealWorld returns a world with a real model on a server of its own.
func newRealWorld(t testing.TB) *realWorld {
	t.Helper()
	server := startRealServer(t, map[string]map[string]any{smollm2: nil, smollm2Copy: nil, smollm2Thinks: nil})
	w := &realWorld{newWorld(t), server, smollm2}
	w.traffic = newTraffic(t, server.URL)
	w.write("list.txt", list)
	w.configureReal("")
	return w
}

// list is the text of the file that the model is asked to read.
const list = "Bread, butter and two lemons.\n"

// configureReal writes a configuration with the built-in servers clock and files.
func (w *realWorld) configureReal(settings string) {
	w.t.Helper()
	w.write("config.toml", fmt.Sprintf("model = %q\nhost = %q\nstatus.style = \"name\"\n%s\n"+
		"mcp_servers.fetch.enabled = false\n", w.model, w.traffic.URL, settings))
}

// log returns the log of the server so far.
func (w *realWorld) log() string {
	w.t.Helper()
	log, err := w.server.Log()
	must(w.t, err)
	return log
}

// fastOllama returns the program with the faster engine, if this machine can use it.
func fastOllama() string {
	fast := filepath.Join(filepath.Dir(filepath.Dir(parts.ollama))+"-avx2", "bin", "ollama")
	if _, err := os.Stat(fast); err != nil {
		return parts.ollama
	}
	return fast
}

// TestRealModelNumbersMatchServerLog has a conversation with a real model. The numbers of the live line, of the
// receipts and of the JSON output are compared with the debug log of the server.
func TestRealModelNumbersMatchServerLog(t *testing.T) {
	w := newRealWorld(t)
	said := w.chatPlain("Read the file list.txt.", "Tell me a long story about a lighthouse keeper.",
		"What is the name of the keeper?")
	if calls := said[0].result.ToolCalls; len(calls) == 0 || calls[0].Status != event.CallOK {
		t.Errorf("the model called no tool: %+v", said[0].result)
	}
	said = append(said, w.printJSON("--continue", "-p", "And where did he live?")) // a new process, a warm server
	said = append(said, w.printJSON("--continue", "--model", smollm2Copy, "-p", "What is the capital of France?"))
	w.configureReal("context = 4096")
	said = append(said, w.printJSON("--continue", "-p", "Thank you."))

	c := newComparison(t, w)
	for i, s := range said {
		c.turn(i+1, s)
	}
	c.report()
}

// TestRealModelBoundsHold asks a model whose template may change the earlier part of the prompt after a question. So
// the line and the receipt have upper bounds.
func TestRealModelBoundsHold(t *testing.T) {
	w := newRealWorld(t)
	w.model = smollm2Thinks
	w.configureReal("")
	said := w.chatPlain("Tell me about the sea.", "What is 12,345.67 + 89.01? {\"as\": [\"JSON\"]}", "qzx vbkw jrtp 字?")
	c, bounds := newComparison(t, w), 0
	for i, s := range said {
		c.turn(i+1, s)
		for _, line := range s.lines {
			if strings.HasPrefix(line.text, "Reading up to ") {
				bounds++
			}
		}
	}
	c.report()
	if bounds != len(said)-1 {
		t.Errorf("%d of %d turns begin with an upper bound", bounds, len(said))
	}
}
