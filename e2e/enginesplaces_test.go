//go:build e2e && engines && unix

package e2e

import (
	"bytes"
	"fmt"
	"image"
	"image/png"
	"strings"
	"syscall"
	"testing"

	"github.com/aloudchat/aloud/provider/event"
)

// A place is a server with a real model, and how aloud is configured for it.
type place struct {
	name     string
	settings string
	environ  []string
	log      func() string // of the server, so far

	calls     bool   // the model calls the tool for a file; Gemma 3 is no chat model and often fails
	long      string // a model that writes hundreds of tokens
	missing   string // how aloud says that the server lacks a model
	tooLong   string // how aloud refuses a text that does not fit
	abandoned string // what the server logs when a stopped answer has ended
}

// newPlaceWorld returns a world that is configured for a place, with a file to read.
func newPlaceWorld(t testing.TB, p place) *world {
	t.Helper()
	w := newWorld(t)
	w.environ = p.environ
	w.write("list.txt", list)
	w.write("config.toml", "mcp_servers.fetch.enabled = false\n"+p.settings)
	return w
}

// placeStories are played at every place.
var placeStories = []struct {
	name string
	play func(w *world, p place)
}{
	{"an answer streams", func(w *world, _ place) {
		out := w.run("--no-tools", "--output", "stream-json", "-p", "Tell me about the sea.")
		if pieces := strings.Count(out.stdout, `"type":"text"`); pieces < 2 {
			w.t.Errorf("the answer came in %d pieces, exit code %d\n%s%s", pieces, out.code, out.stdout, out.stderr)
		}
	}},
	{"tools are offered", func(w *world, p place) {
		r, out := w.ask("Read the file list.txt.")
		called := len(r.ToolCalls) > 0 && r.ToolCalls[0].Status == string(event.CallOK) &&
			strings.Contains(r.ToolCalls[0].Result, "lemons")
		if r.Stop.Reason == "" || p.calls && !called {
			w.t.Errorf("%+v\nstderr: %s", r, out.stderr)
		}
	}},
	{"a model is missing", func(w *world, p place) {
		w.refuses(p.missing, 3, "--no-tools", "--model", "no-such-model", "-p", "Hello.")
	}},
	{"a text is too long", func(w *world, p place) {
		w.write("long.txt", strings.Repeat("The sea is wide and deep. ", 600))
		w.refuses(p.tooLong, 1, "--no-tools", "-p", "Summarise @long.txt")
	}},
	{"a stopped answer frees the server", func(w *world, p place) {
		before := strings.Count(p.log(), p.abandoned)
		answer := w.start("--no-tools", "--model", p.long, "-p", "Tell me a long story about a fox.")
		w.waitForSession(`"delta"`)
		answer.signal(syscall.SIGINT)
		if out := answer.wait(); out.code != 130 || out.stdout == "" {
			w.t.Errorf("exit code %d\nstdout: %s\nstderr: %s", out.code, out.stdout, out.stderr)
		}
		if !eventually(func() bool { return strings.Count(p.log(), p.abandoned) > before }) {
			w.t.Errorf("the server does not log %q", p.abandoned)
		}
		if out := w.run("--no-tools", "-p", "Hello."); out.stdout == "" {
			w.t.Errorf("no answer afterwards, exit code %d\nstderr: %s", out.code, out.stderr)
		}
	}},
	{"thirty ask at once", func(w *world, _ place) {
		var all []*running
		for i := range 30 {
			all = append(all, w.start("--no-tools", "-p", fmt.Sprintf("Say %d.", i)))
		}
		for i, r := range all {
			if out := r.wait(); out.stdout == "" || out.code != 0 && out.code != 4 {
				w.t.Errorf("question %d: exit code %d\nstdout: %s\nstderr: %s", i, out.code, out.stdout, out.stderr)
			}
		}
	}},
}

// refuses checks that aloud ends with an exit code and a sentence.
func (w *world) refuses(sentence string, code int, args ...string) {
	w.t.Helper()
	if out := w.run(args...); out.code != code || !strings.Contains(out.stderr, sentence) {
		w.t.Errorf("exit code %d, want %d and %q\nstdout: %s\nstderr: %s", out.code, code, sentence, out.stdout, out.stderr)
	}
}

func playAt(t *testing.T, p place) {
	t.Helper()
	for _, story := range placeStories {
		t.Run(p.name+"/"+story.name, func(t *testing.T) { story.play(newPlaceWorld(t, p), p) })
	}
}

// TestOllama plays the stories with two real models on Ollama.
func TestOllama(t *testing.T) {
	for _, e := range engines(t) {
		server := e.start(t)
		p := place{
			name: e.name, settings: fmt.Sprintf("model = %q\nhost = %q\ncontext = 2048\n", engineName, server.URL),
			log: func() string {
				text, err := server.Log()
				must(t, err)
				return text
			},
			calls:     e.full,
			long:      engineLong,
			missing:   fmt.Sprintf("model %q is not installed on the Ollama server at %q", "no-such-model", server.URL),
			tooLong:   "Attach some lines, as in @long.txt:1-100, or enlarge the context window",
			abandoned: `POST     "/api/chat"`,
		}
		playAt(t, p)
		t.Run(e.name+"/an image is refused", func(t *testing.T) {
			w := newPlaceWorld(t, p)
			var picture bytes.Buffer
			must(t, png.Encode(&picture, image.NewGray(image.Rect(0, 0, 8, 8))))
			w.write("grey.png", picture.String())
			w.refuses("the model real cannot see images. Choose a model with vision", 1, "-p", "What is in @grey.png ?")
		})
	}
}

// TestLlamaCpp plays the stories with llama.cpp's server in Python.
func TestLlamaCpp(t *testing.T) {
	p := startOpenAI(t, 0)
	playAt(t, p)
	playWrongKey(t, p)
}

func playWrongKey(t *testing.T, p place) {
	t.Run(p.name+"/a wrong key", func(t *testing.T) {
		w := newPlaceWorld(t, p)
		w.environ = []string{keyVariable + "=wrong"}
		w.refuses("rejects the key: Invalid API key", 1, "--no-tools", "-p", "Hello.")
		w.refuses("check the variable that api_key_env names", 1, "--no-tools", "-p", "Hello.")
	})
}
