//go:build e2e && unix

package e2e

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/aloudchat/aloud/e2e/ollama"
	"github.com/aloudchat/aloud/e2e/tinymodel"
)

func TestTheNextStartKnowsHowLongTheModelTakes(t *testing.T) {
	w := newWorld(t)
	place := newAddress(t)
	w.configure(place.URL, "")
	place.move(t)
	question := "[[answer]] please " + strings.Repeat("and do it well ", 100)

	if e := w.expects(question); !e.saw("loading", "reading") || e["loading"] != 0 || e["reading"] != 0 {
		t.Errorf("the first time it shows and expects, in ms: %v", e)
	}
	first := w.measured()
	if first.Server != place.URL || first.Model != tinymodel.Full || first.Load == 0 || len(first.Reads) == 0 {
		t.Fatalf("of the first turn it kept %+v", first)
	}

	place.move(t) // nothing is in memory there
	if e := w.expects(question); !e.saw("loading", "reading") || e["loading"] != first.Load || e["reading"] <= 0 {
		t.Errorf("on a new server it shows and expects, in ms: %v; it knew %+v", e, first)
	}
	second := w.measured()

	if e := w.expects(question); e.saw("loading") {
		t.Errorf("with the model in memory it shows %v", e)
	}
	if third := w.measured(); third.Load != second.Load {
		t.Errorf("a model in memory is no load: %+v", third)
	}

	w.settings = "context = 4096"
	w.configure(place.URL, "")
	if e := w.expects(question); !e.saw("loading") || e["loading"] == 0 {
		t.Errorf("with another context it shows and expects, in ms: %v", e)
	}
}

func TestALoadedModelKeepsItsContext(t *testing.T) {
	server := serverWith(t, nil).URL
	w := newWorld(t)
	w.configure(server, "")
	post(t, server+"/api/generate", map[string]any{"model": tinymodel.Full, "options": map[string]any{"num_ctx": 16384}})
	if r, out := w.ask("[[answer]] please"); r.Usage.ContextSize != 16384 || strings.Contains(out.stdout, `"kind":"load"`) {
		t.Errorf("with 16,384 tokens in memory it says\n%s", out.stdout)
	}

	w.settings = "context = 4096"
	w.configure(server, "")
	if _, out := w.ask("[[answer]] please"); !strings.Contains(out.stdout, `"context_from":16384,"context_to":4096,`) {
		t.Errorf("with a context of its own it says\n%s", out.stdout)
	}
}

func TestNothingIsKeptWithoutASession(t *testing.T) {
	w := newWorld(t)
	w.configure(w.traffic.URL, "")
	w.ask("[[answer]] please", "--no-session")
	if _, err := os.Stat(w.paceFile()); err == nil {
		t.Error("it wrote down how fast the model is")
	}
}

// TestAStatusModel: it is asked for sentences, with what is in its memory or not.
func TestAStatusModel(t *testing.T) {
	w := newWorld(t)
	w.traffic = listenIn(t, serverWithSmall(t).URL)
	w.settings = fmt.Sprintf("[status]\nmodel = %q\nstyle = \"sentence\"", small)
	w.configure(w.traffic.URL, w.everything())
	if out := w.run("--output", "stream-json", "-p", "[[slow-chain]] please"); out.code != 0 {
		t.Fatalf("exit code %d\n%s", out.code, out.stderr)
	}
	if !slices.ContainsFunc(w.traffic.requests(), func(c chatRequest) bool { return c.Model == small }) {
		t.Error("it was not asked for a sentence")
	}
}

// An address is one place where one model server after the other answers.
type address struct {
	*httptest.Server
	target atomic.Pointer[url.URL]
	server *ollama.Server
}

func newAddress(t *testing.T) *address {
	a := &address{}
	proxy := &httputil.ReverseProxy{Rewrite: func(r *httputil.ProxyRequest) { r.SetURL(a.target.Load()) }, FlushInterval: -1}
	a.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body) // all of it before any goes on: see traffic.note
		if err != nil {
			return // the client has gone
		}
		r.Body = io.NopCloser(bytes.NewReader(body))
		proxy.ServeHTTP(w, r)
	}))
	t.Cleanup(a.Close)
	return a
}

// move starts a new server at the address, and ends the one that was there.
func (a *address) move(t *testing.T) {
	t.Helper()
	if a.server != nil {
		a.server.Stop()
	}
	server, err := startServer(context.Background(), t.TempDir()) // which outlives the context of a test a little
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(server.Stop)
	target, err := url.Parse(server.URL)
	if err != nil {
		t.Fatal(err)
	}
	a.target.Store(target)
	a.server = server
}

// small is the name of a model that is another file than the tiny ones, which a server takes for the same.
const small = "small"

// serverWithSmall starts a server with the tiny models, and with one that only ever says a sentence.
func serverWithSmall(t *testing.T, environ ...string) *ollama.Server {
	t.Helper()
	server, err := ollama.Start(context.Background(), parts.ollama, t.TempDir(), environ...)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(server.Stop)
	if err := server.AddModels(t.Context(), parts.model, tinymodel.Variants()...); err != nil {
		t.Fatal(err)
	}
	var model bytes.Buffer
	if err := tinymodel.Write(&model, map[string]tinymodel.Script{tinymodel.Fallback: {{Text: "Doing what was asked"}}}); err != nil {
		t.Fatal(err)
	}
	digest := fmt.Sprintf("sha256:%x", sha256.Sum256(model.Bytes()))
	resp, err := http.Post(server.URL+"/api/blobs/"+digest, "application/octet-stream", &model)
	if err != nil {
		t.Fatal(err)
	}
	resp.Body.Close()
	post(t, server.URL+"/api/create", map[string]any{
		"model": small, "files": map[string]string{"small.gguf": digest}, "stream": false, "parameters": map[string]any{"temperature": 0, "num_thread": 1},
		"template": "{{ range .Messages }}<|{{ .Role }}|>{{ .Content }}<|end|>{{ end }}<|assistant|><|" + tinymodel.Fallback + ":0|>",
	})
	return server
}

// expected is how long each phase was expected to take, in milliseconds, by its name.
type expected map[string]int64

func (e expected) saw(phases ...string) bool {
	return !slices.ContainsFunc(phases, func(phase string) bool {
		_, seen := e[phase]
		return !seen
	})
}

// expects asks a question and returns what the lines about the phases expect.
func (w *world) expects(question string) expected {
	w.t.Helper()
	out := w.run("--output", "stream-json", "-p", question)
	if out.code != 0 {
		w.t.Fatalf("exit code %d\n%s", out.code, out.stderr)
	}
	e := expected{}
	for line := range strings.Lines(out.stdout) {
		var event struct {
			Type, Phase string
			ExpectedMS  int64 `json:"expected_ms"`
		}
		if err := json.Unmarshal([]byte(line), &event); err != nil {
			w.t.Fatalf("%v: %s", err, line)
		}
		if event.Type == "status" {
			e[event.Phase] = max(e[event.Phase], event.ExpectedMS)
		}
	}
	return e
}

func (w *world) paceFile() string { return filepath.Join(w.home, "state", "aloud", "models.json") }

// pace is what is kept of one model.
type pace struct {
	Server, Model string
	Load          int64 `json:"load_ms"`
	Reads         []struct{ Tokens, MS int64 }
}

// measured is what is kept of the only model.
func (w *world) measured() pace {
	w.t.Helper()
	text, err := os.ReadFile(w.paceFile())
	if err != nil {
		w.t.Fatal(err)
	}
	var file struct{ Servers map[string]map[string]pace }
	if err := json.Unmarshal(text, &file); err != nil {
		w.t.Fatal(err)
	}
	for server, models := range file.Servers {
		for model, p := range models {
			p.Server, p.Model = server, model
			return p
		}
	}
	w.t.Fatalf("the file has no model:\n%s", text)
	return pace{}
}
