//go:build e2e && engines && unix

package e2e

import (
	_ "embed"
	"fmt"
	"maps"
	"os"
	"strings"
	"syscall"
	"testing"

	"github.com/aloudchat/aloud/e2e/ollama"
)

// mostRead is how many tokens a server with full attention may read for each one that it must.
const mostRead = 1.02

//go:embed testdata/gemma3.tmpl
var gemma3Template string

// An engine is a real model. Its other names have the same weights.
type engine struct {
	name       string
	weights    string // path of the file
	template   string
	parameters map[string]any
	full       bool // attention: the server can cut its cache anywhere
}

func engines(t testing.TB) []engine {
	t.Helper()
	gemma3, err := script(t.Context(), "./install-gemma3.sh")
	must(t, err)
	return []engine{
		{name: "SmolLM2", weights: parts.smollm2, template: smollm2Template, full: true,
			parameters: map[string]any{"stop": []string{"<|im_end|>", "<|im_start|>"}}},
		{name: "Gemma 3", weights: gemma3, template: gemma3Template, parameters: map[string]any{
			"stop": []string{"<end_of_turn>", "</tool_call>"}, "num_predict": 24, // it writes slowly
		}},
	}
}

// The names of an engine on its server.
const (
	engineName   = "real"
	engineCopy   = "real-copy"
	engineBabble = "real-babble"
	engineLong   = "real-long" // writes hundreds of tokens
)

func (e engine) start(t testing.TB) *ollama.Server {
	t.Helper()
	weights, err := os.ReadFile(e.weights)
	must(t, err)
	server, err := ollama.Start(t.Context(), fastOllama(), t.TempDir(), "OLLAMA_DEBUG=1")
	must(t, err)
	t.Cleanup(server.Stop)
	calm := map[string]any{"temperature": 0, "seed": 1, "num_predict": 80, "num_thread": 1}
	maps.Copy(calm, e.parameters)
	wild := maps.Clone(calm)
	wild["temperature"] = 2
	long := maps.Clone(calm)
	long["num_predict"] = 400
	for name, parameters := range map[string]map[string]any{
		engineName: calm, engineCopy: calm, engineBabble: wild, engineLong: long,
	} {
		model := ollama.Model{Name: name, Template: e.template, Parameters: parameters}
		must(t, server.Add(t.Context(), weights, model))
	}
	return server
}

// A conversation is driven through the program.
type conversation struct {
	name      string
	cancelled bool // a stopped answer is read again, so the limit does not apply
	hold      func(w *realWorld)
}

var conversations = []conversation{
	{name: "three questions in one process", hold: func(w *realWorld) {
		w.say("", "Tell me about the sea.", "What lives in it?", "Thank you.")
	}},
	{name: "tools", hold: func(w *realWorld) {
		w.say("", "Read the file list.txt.", "What time is it in Madrid?", "Thank you.")
	}},
	{name: "a limit on tool rounds", hold: func(w *realWorld) {
		w.run("--max-iterations", "1", "-p", "Read the file list.txt.")
		w.run("--continue", "-p", "What is the capital of France?")
	}},
	{name: "an answer asked for again", hold: func(w *realWorld) {
		w.say("", "Tell me about the moon.", "/retry", "Who was there?", "/retry")
	}},
	{name: "a new process for each question", hold: func(w *realWorld) {
		w.run("-p", "Tell me about bees.")
		w.run("--continue", "-p", "What do they eat?")
		w.run("--continue", "-p", "Read the file list.txt.")
		w.run("--continue", "-p", "Thank you.")
	}},
	{name: "another model and back", hold: func(w *realWorld) {
		w.run("-p", "Tell me about bread.")
		w.run("--continue", "--model", engineCopy, "-p", "Who invented it?")
		w.run("--continue", "--model", engineName, "-p", "Thank you.")
	}},
	{name: "a context that another program chose", hold: func(w *realWorld) {
		w.run("-p", "Tell me about boats.")
		post(w.t, w.server.URL+"/api/generate", map[string]any{
			"model": engineName, "prompt": "Hello.", "stream": false, "options": map[string]any{"num_ctx": 4096}})
		w.run("--continue", "-p", "How fast are they?")
		w.run("--continue", "-p", "Thank you.")
	}},
	{name: "a small context", hold: func(w *realWorld) {
		w.configureReal("context = 2048")
		w.say("", "Tell me about trains.", "Tell me more.", "Tell me more about steam.", "Who drives them?",
			"What do they cost?", "Thank you.")
	}},
	{name: "babble", hold: func(w *realWorld) {
		w.say(engineBabble, "What is love?", "What is truth?", "Thank you.")
	}},
	{name: "a stopped answer", cancelled: true, hold: func(w *realWorld) {
		answer := w.start("-p", "Tell me a long story about a fox.")
		w.traffic.waitForReply(w.t)
		answer.signal(syscall.SIGINT)
		answer.wait()
		w.run("--continue", "-p", "How does it end?")
	}},
}

// say has a conversation in one process, line by line, with the usual model if it is "".
func (w *realWorld) say(model string, lines ...string) {
	w.t.Helper()
	args := []string{"--plain"}
	if model != "" {
		args = append(args, "--model", model)
	}
	cmd := w.command(w.t.Context(), args...)
	cmd.Stdin = strings.NewReader(strings.Join(lines, "\n") + "\n")
	if out, err := cmd.CombinedOutput(); cmd.ProcessState == nil {
		w.t.Fatalf("%v: %s", err, out)
	}
}

// TestReading counts the tokens that a server reads for the conversations.
func TestReading(t *testing.T) {
	rows := make([]string, len(conversations)+1)
	heads, rules := "| conversation |", "|---|"
	for _, e := range engines(t) {
		server := e.start(t)
		heads, rules = heads+" "+e.name+" |", rules+"---|"
		var all reading
		for i, c := range conversations {
			var r reading
			t.Run(e.name+"/"+c.name, func(t *testing.T) {
				w := &realWorld{world: newWorld(t), server: server, model: engineName}
				w.traffic = newTraffic(t, server.URL)
				w.write("list.txt", list)
				w.configureReal("")
				for _, name := range []string{engineName, engineCopy, engineBabble} { // each begins with an empty cache
					post(t, server.URL+"/api/generate", map[string]any{"model": name, "keep_alive": 0})
				}
				before := w.log()
				c.hold(w)
				r = readingOf(t, w, strings.TrimPrefix(w.log(), before))
			})
			rows[i] += fmt.Sprintf(" %v |", r)
			if !c.cancelled {
				all = all.plus(r)
			}
		}
		rows[len(conversations)] += fmt.Sprintf(" %v |", all)
		if e.full && float64(all.read) > mostRead*float64(all.least) {
			t.Errorf("%s: the server read %v, more than %v", e.name, all, mostRead)
		}
	}
	table := heads + "\n" + rules + "\n"
	for i, c := range conversations {
		table += "| " + c.name + " |" + rows[i] + "\n"
	}
	t.Logf("tokens that the server read, of the least possible:\n%s| all but the stopped answer |%s", table,
		rows[len(conversations)])
}
