package ollama

import (
	"context"
	"errors"
	"slices"
	"strings"
	"time"

	"github.com/ollama/ollama/api"

	"github.com/aloudchat/aloud/provider"
)

// psTimeout limits the requests that only serve the status line, so that they do not delay the answer.
const psTimeout = 300 * time.Millisecond

// surelyLoaded is how long a model counts as loaded after a reply or after the server said so. Ollama keeps it for five
// minutes, unless another program needs the memory.
const surelyLoaded = 5 * time.Second

// listing has the models in the server's memory at a time.
type listing struct {
	models []Described
	err    error
	at     time.Time         // zero if there is none
	others map[string]sharer // by models that are not in models
}

// sharer is the model in memory whose process another model uses, or the zero value, or the error of looking for it.
type sharer struct {
	model Described
	err   error
}

// LoadedContext implements provider.Memory.
func (c *Client) LoadedContext(ctx context.Context, model string) int {
	m, _ := c.InMemory(ctx, model) // zero on error
	if m.Context < 0 || m.Context >= 1<<30 {
		return 0
	}
	return m.Context
}

// OnGPU implements provider.Memory.
func (c *Client) OnGPU(ctx context.Context, model string) (share float64, known bool) {
	m, err := c.InMemory(ctx, model)
	return m.OnGPU(), err == nil && m.Size > 0
}

// OnGPU returns which share of a model in memory is in that of the GPU. The server may send any numbers.
func (m Described) OnGPU() float64 { return min(max(float64(m.VRAM)/float64(max(m.Size, 1)), 0), 1) }

// InMemory returns what the server has in memory for a model, under this or another name, or the zero value. It returns
// an error if that is not certain. It waits at most psTimeout, and repeats a result that is younger than surelyLoaded
// if no chat request followed. It repeats an error also then: a server that is slow to answer stays slow.
func (c *Client) InMemory(ctx context.Context, name string) (Described, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	limited, cancel := context.WithTimeout(ctx, psTimeout)
	defer cancel()
	if time.Since(c.listing.at) >= surelyLoaded {
		var loaded struct{ Models []Described }
		err := c.get(limited, "/api/ps", nil, &loaded)
		if ctx.Err() != nil {
			return Described{}, ctx.Err()
		}
		c.listing = listing{models: loaded.Models, err: err, at: time.Now(), others: map[string]sharer{}}
		for _, m := range loaded.Models { // an earlier run may have asked to keep it
			if _, chosen := c.keeps[untagged(m.Name)]; !chosen && m.stays() {
				c.keeps[untagged(m.Name)] = always
			}
		}
	}
	l := &c.listing
	if l.err != nil || len(l.models) == 0 {
		return Described{}, l.err
	}
	digest, _ := c.Pace.Info(name)
	if m := named(l.models, name); m.Name != "" && (digest == "" || digest == m.Digest) { // else it was replaced
		return m, nil
	}
	found, known := l.others[name]
	if !known {
		found.model, found.err = c.sharing(limited, name)
		if ctx.Err() != nil {
			return Described{}, ctx.Err()
		}
		l.others[name] = found
	}
	return found.model, found.err
}

// errUnseen means that a loaded model is not installed any more, so that its weights are unknown.
var errUnseen = errors.New("the weights of a loaded model are unknown")

// sharing returns the model in memory whose process the server also uses for another model, or the zero value. The
// server starts a process for each file of weights, not for each name.
func (c *Client) sharing(ctx context.Context, name string) (Described, error) {
	installed, err := c.installed(ctx)
	if err != nil {
		return Described{}, err
	}
	wanted := named(installed, name)
	var unseen error
	for _, m := range c.listing.models {
		switch {
		case m.Digest == wanted.Digest && m.Digest != "": // a copy
			return m, nil
		case !sameDetails(m.Details, wanted.Details):
		case m.Digest != named(installed, m.Name).Digest:
			unseen = errUnseen
		default:
			theirs, err := c.process(ctx, m.Name)
			if err != nil {
				return Described{}, err
			}
			if ours, err := c.process(ctx, name); err != nil || ours == theirs {
				return m, err
			}
		}
	}
	return Described{}, unseen
}

// process returns the settings of a model for the process that runs it. Models with the same settings share a process.
// It leaves out the context, which is part of each request.
func (c *Client) process(ctx context.Context, name string) (string, error) {
	var shown Described
	if err := c.get(ctx, "/api/show", api.ShowRequest{Model: name}, &shown); err != nil {
		return "", err
	}
	var settings []string
	files, _, _ := strings.Cut(shown.Modelfile, "\nTEMPLATE ") // texts follow, in which lines may look like settings
	for line := range strings.Lines(files) {
		if strings.HasPrefix(line, "FROM ") || strings.HasPrefix(line, "ADAPTER ") {
			settings = append(settings, strings.TrimSpace(line))
		}
	}
	for line := range strings.Lines(shown.Parameters) {
		words := strings.Fields(line)
		if len(words) == 2 && slices.Contains(processParameters, words[0]) {
			settings = append(settings, strings.Join(words, " "))
		}
	}
	if len(settings) == 0 {
		return "", errUnseen
	}
	slices.Sort(settings)
	return strings.Join(settings, "\n"), nil
}

// processParameters are the parameters of a Modelfile with which the server starts a process.
var processParameters = []string{"num_batch", "num_gpu", "main_gpu", "use_mmap", "num_thread", "draft_num_predict"}

// sameDetails reports whether two models may have the same weights.
func sameDetails(a, b api.ModelDetails) bool {
	return a.Family == b.Family && a.ParameterSize == b.ParameterSize && a.QuantizationLevel == b.QuantizationLevel
}

// noteReply records the end of a reply. An empty model records the beginning of a request.
func (c *Client) noteReply(model string, tokens int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.model, c.context, c.replied = model, tokens, time.Now()
	if c.listing.err == nil {
		c.listing = listing{}
	}
}

// phase returns what the server will do first: load the model or read the prompt. It returns PhaseNone if that is not
// certain. It must be called before the request, because a model that is being loaded is already in the list. had is
// the context of a model that will be loaded again with another context.
func (c *Client) phase(ctx context.Context, req provider.Request) (phase provider.ChunkPhase, had int) {
	c.mu.Lock()
	same := c.model == req.Model && c.context == req.Context && time.Since(c.replied) < surelyLoaded
	c.mu.Unlock()
	if same {
		return provider.PhaseReading, 0
	}
	loaded, err := c.InMemory(ctx, req.Model)
	if err != nil {
		return provider.PhaseNone, 0
	}
	if loaded.Context == req.Context && loaded.Context > 0 {
		return provider.PhaseReading, 0
	}
	info, err := c.Describe(ctx, req.Model)
	if err == nil && info.Remote {
		return provider.PhaseNone, 0
	}
	if loaded.Name != "" && (loaded.Context == 0 || loaded.Context == givenContext(req.Context, info) ||
		loaded.Details.Format == "safetensors") { // its context grows as needed
		return provider.PhaseReading, 0
	}
	return provider.PhaseLoading, loaded.Context
}

// givenContext returns the context that the server gives a model if a request asks for tokens.
func givenContext(tokens int, info provider.Info) int {
	if info.Vision {
		tokens = max(tokens, 2048) // the server's minimum for images
	}
	if info.Context > 0 {
		tokens = min(tokens, info.Context) // it is trained for no more
	}
	return tokens
}

// named returns the model with a name, or the zero value.
func named(models []Described, name string) Described {
	i := slices.IndexFunc(models, func(d Described) bool { return provider.SameModel(d.Name, name) })
	if i < 0 {
		return Described{}
	}
	return models[i]
}
