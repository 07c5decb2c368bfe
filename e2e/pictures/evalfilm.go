//go:build unix

package main

import (
	"context"
	"fmt"
	"image/color"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"github.com/aloudchat/aloud/e2e/ollama"
	"github.com/aloudchat/aloud/e2e/terminal"
)

// evalFilm is where the film of aloud eval is.
const evalFilm = "docs/eval.svg"

// evalTime is the length of that film without its last frame. Two small real models take some minutes.
const evalTime = 15 * time.Second

// realModels are installed by the script beside e2e. Their names are those that Ollama has for them.
var realModels = []struct {
	name, weights, template string
	parameters              map[string]any
}{
	{"smollm2:135m", "e2e/install-smollm2.sh", "e2e/testdata/smollm2.tmpl",
		map[string]any{"stop": []string{"<|im_end|>", "<|im_start|>"}, "num_predict": 60, "num_thread": 1}},
	{"gemma3:270m", "e2e/install-gemma3.sh", "e2e/testdata/gemma3.tmpl",
		map[string]any{"stop": []string{"<end_of_turn>", "</tool_call>"}, "num_predict": 40, "num_thread": 1}},
}

// recordEval records aloud eval with two real models, and writes the film.
func recordEval(ctx context.Context) error {
	dir, err := os.MkdirTemp("", "aloud-film-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	s, err := openStudio(ctx, dir, true)
	if err != nil {
		return err
	}
	defer s.server.Stop()
	names, err := addRealModels(ctx, s.server)
	if err != nil {
		return err
	}
	config := filepath.Join(dir, "config.toml")
	if err := os.WriteFile(config, fmt.Appendf(nil, "host = %q\n", s.server.URL), 0o600); err != nil {
		return err
	}
	m := &machine{studio: s, home: dir}
	if err := os.MkdirAll(m.folder(), 0o755); err != nil {
		return err
	}
	cmd := m.command(ctx, append([]string{"eval", "--quick"}, names...)...)
	term, err := terminal.StartOn(cmd, 80, 34, color.Black)
	if err != nil {
		return err
	}
	defer term.Close(ctx)
	done := make(chan struct{})
	go func() {
		defer close(done)
		term.WaitFor(ctx, func(screen string) bool { return strings.Contains(screen, "Writes") })
	}()
	frames, _ := watch(term, done)
	took := frames[len(frames)-1].at
	for i := range frames {
		frames[i].at = time.Duration(float64(frames[i].at) / float64(took) * float64(evalTime))
	}
	title := fmt.Sprintf("aloud eval asks two small models twelve questions each, in %v, and shows the best model first",
		took.Round(time.Second))
	return os.WriteFile(evalFilm, animation(frames, evalTime+lastHold, title), 0o644)
}

// addRealModels adds the models to a server and returns their names.
func addRealModels(ctx context.Context, server *ollama.Server) (names []string, err error) {
	for _, m := range realModels {
		path, err := exec.CommandContext(ctx, m.weights).Output()
		if err != nil {
			return nil, fmt.Errorf("%s: %w", m.weights, err)
		}
		weights, err := os.ReadFile(strings.TrimSpace(string(path)))
		if err != nil {
			return nil, err
		}
		template, err := os.ReadFile(m.template)
		if err != nil {
			return nil, err
		}
		model := ollama.Model{Name: m.name, Template: string(template), Parameters: m.parameters}
		if err := server.Add(ctx, weights, model); err != nil {
			return nil, err
		}
		names = append(names, m.name)
	}
	return names, nil
}
