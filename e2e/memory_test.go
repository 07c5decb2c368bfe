//go:build e2e && unix

package e2e

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/aloudchat/aloud/e2e/tinymodel"
)

func TestNextStartExpectsMeasuredTimes(t *testing.T) {
	w := newWorld(t)
	server := startScriptServer(t, nil).URL
	w.configure(server, "")
	question := "[[answer]] please " + strings.Repeat("and do it well ", 100)

	if e := w.expectedTimes(question); !e.has("loading", "reading") || e["loading"] != 0 || e["reading"] != 0 {
		t.Errorf("the first time the expected times are %v", e)
	}
	first := w.measured()
	if first.Server != server || first.Model != tinymodel.Full || first.Load == 0 || len(first.Reads) == 0 {
		t.Fatalf("saved after the first turn: %+v", first)
	}

	post(t, server+"/api/generate", map[string]any{"model": tinymodel.Full, "keep_alive": 0})
	if e := w.expectedTimes(question); !e.has("loading", "reading") || e["loading"] != first.Load || e["reading"] <= 0 {
		t.Errorf("after unloading the expected times are %v, saved were %+v", e, first)
	}
	second := w.measured()

	if e := w.expectedTimes(question); e.has("loading") {
		t.Errorf("with a loaded model the phases are %v", e)
	}
	if third := w.measured(); third.Load != second.Load {
		t.Errorf("saved for a loaded model: %+v", third)
	}

	w.settings = "context = 4096"
	w.configure(server, "")
	if e := w.expectedTimes(question); !e.has("loading") || e["loading"] == 0 {
		t.Errorf("with another context the expected times are %v", e)
	}
}

func TestLoadedModelKeepsContext(t *testing.T) {
	server := startScriptServer(t, nil).URL
	w := newWorld(t)
	w.configure(server, "")
	post(t, server+"/api/generate", map[string]any{"model": tinymodel.Full, "options": map[string]any{"num_ctx": 16384}})
	r, out := w.ask("[[answer]] please")
	if r.Usage.ContextSize != 16384 || strings.Contains(out.stdout, `"kind":"load"`) {
		t.Errorf("with a loaded context of 16,384 tokens:\n%s", out.stdout)
	}

	w.settings = "context = 4096"
	w.configure(server, "")
	if _, out := w.ask("[[answer]] please"); !strings.Contains(out.stdout, `"context_from":16384,"context_to":4096,`) {
		t.Errorf("with a configured context:\n%s", out.stdout)
	}
}

// TestSharedWeightsAreNotLoadedAgain uses the weights that are in memory under other names.
func TestSharedWeightsAreNotLoadedAgain(t *testing.T) {
	server := startScriptServer(t, nil).URL
	w := newWorld(t)
	w.configure(server, "")
	post(t, server+"/api/generate", map[string]any{"model": tinymodel.Full, "options": map[string]any{"num_ctx": 16384}})
	post(t, server+"/api/copy", map[string]any{"source": tinymodel.Full, "destination": "copied"})
	post(t, server+"/api/create", map[string]any{"model": "derived", "from": tinymodel.Full, "system": "Be brief."})
	for _, model := range []string{"copied", "derived"} {
		out := w.run("--model", model, "--output", "stream-json", "-p", "[[answer]] please")
		for _, word := range []string{`"phase":"loading"`, `"kind":"load"`} {
			if strings.Contains(out.stdout, word) {
				t.Errorf("the output with %s has %s:\n%s", model, word, out.stdout)
			}
		}
		if !strings.Contains(out.stdout, `"context_size":16384`) {
			t.Errorf("the output with %s:\n%s%s", model, out.stdout, out.stderr)
		}
	}
}

func TestNoSessionSavesNothing(t *testing.T) {
	w := newWorld(t)
	w.configure(w.traffic.URL, "")
	w.ask("[[answer]] please", "--no-session")
	if _, err := os.Stat(w.paceFile()); err == nil {
		t.Error("the measured times were saved")
	}
}

// phaseTimes are the expected times of the phases in milliseconds, by name.
type phaseTimes map[string]int64

func (e phaseTimes) has(phases ...string) bool {
	return !slices.ContainsFunc(phases, func(phase string) bool {
		_, seen := e[phase]
		return !seen
	})
}

// expectedTimes sends a message and returns the expected times in the status events.
func (w *world) expectedTimes(question string) phaseTimes {
	w.t.Helper()
	out := w.run("--output", "stream-json", "-p", question)
	if out.code != 0 {
		w.t.Fatalf("exit code %d\n%s", out.code, out.stderr)
	}
	e := phaseTimes{}
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

// pace is the saved data of one model.
type pace struct {
	Server, Model string
	Load          int64 `json:"load_ms"`
	Reads         []struct{ Tokens, MS int64 }
}

// measured returns the saved data of the only model.
func (w *world) measured() pace {
	w.t.Helper()
	text, err := os.ReadFile(w.paceFile())
	must(w.t, err)
	var file struct{ Servers map[string]map[string]pace }
	must(w.t, json.Unmarshal(text, &file))
	for server, models := range file.Servers {
		for model, p := range models {
			p.Server, p.Model = server, model
			return p
		}
	}
	w.t.Fatalf("no model in the file:\n%s", text)
	return pace{}
}
