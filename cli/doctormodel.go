package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/aloudchat/aloud/config"
	"github.com/aloudchat/aloud/provider"
	"github.com/aloudchat/aloud/provider/ollama"
	"github.com/aloudchat/aloud/provider/openai"
)

// serverPatience bounds how long doctor waits for a model server that accepts connections and says nothing.
const serverPatience = 10 * time.Second

// model checks the server and the model that a chat would use.
func (d *doctor) model(ctx context.Context, cfg *config.Config) {
	ctx, cancel := context.WithTimeout(ctx, serverPatience)
	defer cancel()
	model, err := newModel(cfg)
	if err != nil {
		d.broken(2, "server", err)
		return
	}
	switch client := model.(type) {
	case *ollama.Client:
		d.ollama(ctx, client, cfg)
	case *openai.Client:
		d.openAI(ctx, client, cfg)
	default:
		d.fine("model", "the built-in demo, no server needed")
	}
}

// ollama checks an Ollama server and what it has in memory.
func (d *doctor) ollama(ctx context.Context, client *ollama.Client, cfg *config.Config) {
	version, err := client.Version(ctx)
	if err != nil {
		d.broken(3, "server", silent(err, client.Address(), "start ollama serve again, or name another server with --host"))
		return
	}
	d.fine("server", "Ollama %s at %s", version, client.Address())
	info, err := choose(ctx, client, cfg)
	if err != nil {
		d.broken(3, "model", err)
		return
	}
	d.fine("model", "%s", modelWords(info, "trained context"))
	if !info.Tools {
		d.note("", "it cannot use tools; a chat goes on without them")
	}
	d.memory(ctx, client, cfg, info)
}

// openAI checks whether an OpenAI-compatible server answers, accepts the key and has the model.
func (d *doctor) openAI(ctx context.Context, client *openai.Client, cfg *config.Config) {
	models, err := client.List(ctx)
	if err != nil {
		d.broken(3, "server", silent(err, client.Address(), "start it again, or name another with base_url or --host"))
		return
	}
	info, err := choose(ctx, client, cfg)
	d.fine("server", "%s at %s, models: %d", cmp.Or(client.Program(info.Name), "OpenAI's API"), client.Address(), len(models))
	if p := cfg.Chosen(); p.APIKeyEnv != "" {
		d.fine("key", "from the variable %s", p.APIKeyEnv)
	}
	if err != nil {
		d.broken(3, "model", err)
		return
	}
	d.fine("model", "%s", modelWords(info, "context"))
	switch {
	case client.Program(info.Name) == "Ollama":
		d.note("", "through this API Ollama chooses the context itself and drops what does not fit; the provider \"ollama\" sets it")
	case info.Context == 0 && cfg.Context == 0:
		d.note("", "the server does not tell its context; write it down as context = N")
	}
	if !info.Tools {
		d.note("", "it cannot use tools; a chat goes on without them")
	}
}

// silent explains a timeout; any other error stays as it is.
func silent(err error, address, hint string) error {
	if !errors.Is(err, context.DeadlineExceeded) {
		return err
	}
	return &provider.Error{Kind: provider.KindUnavailable, Err: err, Hint: hint,
		Text: fmt.Sprintf("the server at %q takes connections and says nothing for %v", address, serverPatience)}
}

// choose finds the model that a chat would use.
func choose(ctx context.Context, model provider.Model, cfg *config.Config) (provider.Info, error) {
	state, _ := config.StateDir(os.LookupEnv) // without one no model is remembered
	return provider.Choose(ctx, model, cfg.Model, config.LastModel(state, cfg.Provider))
}

// modelWords describes a model on one line: "qwen3:8b · 8.2B · Q4_K_M · tools, thinking · trained context 40960".
func modelWords(i provider.Info, context string) string {
	var can []string
	for _, c := range []struct {
		name string
		yes  bool
	}{{"tools", i.Tools}, {"thinking", i.Thinking}, {"vision", i.Vision}} {
		if c.yes {
			can = append(can, c.name)
		}
	}
	words := []string{i.Name, i.Params, i.Quant, strings.Join(can, ", ")}
	if i.Context > 0 {
		words = append(words, fmt.Sprintf("%s %d", context, i.Context))
	}
	return strings.Join(slices.DeleteFunc(words, func(w string) bool { return w == "" }), " · ")
}

// memory says how much of the model is on the GPU, and with what context it was loaded.
func (d *doctor) memory(ctx context.Context, client *ollama.Client, cfg *config.Config, info provider.Info) {
	wanted := "as the work needs"
	if cfg.Context > 0 {
		wanted = fmt.Sprint(cfg.Context)
	}
	loaded, err := client.Loaded(ctx)
	if err != nil {
		d.note("memory", "%s", err)
		return
	}
	for _, l := range loaded {
		if l.Name != info.Name && l.Name != info.Name+":latest" {
			continue
		}
		gpu := 0
		if l.Size > 0 {
			gpu = int(100 * min(max(float64(l.VRAM)/float64(l.Size), 0), 1)) // a server may say anything
		}
		d.fine("memory", "loaded with context %d (wanted: %s), %d%% on the GPU, %d%% on the CPU", l.Context, wanted, gpu, 100-gpu)
		if gpu > 0 && gpu < 100 {
			d.more("a part on the CPU makes it slow: a smaller context or model would fit the GPU")
		}
		if cfg.Context > 0 && l.Context != cfg.Context {
			d.more("the next question loads it again with the wanted context")
		}
		return
	}
	d.fine("memory", "not loaded now (wanted context: %s); the first question loads it", wanted)
}
