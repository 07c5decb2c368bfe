package openai

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/aloudchat/aloud/provider"
)

// lmStudio is what LM Studio calls the owner of its models.
const lmStudio = "organization_owner"

// aside bounds the questions that only add to what is known of a model.
const aside = 3 * time.Second

// List implements provider.Library. Models that cannot chat are left out where the server says so; LM Studio's that are in memory come first,
// since any other would have to be loaded. Which of them can use tools is told by hardly any server.
func (c *Client) List(ctx context.Context) ([]provider.Info, error) {
	entries, err := c.entries(ctx)
	if err != nil {
		return nil, err
	}
	if len(entries) == 0 {
		return nil, &provider.Error{Kind: provider.KindMissing, Text: fmt.Sprintf("the server at %q has no model", c.Address()), Hint: "start it with one"}
	}
	if entries[0].owner() == lmStudio {
		entries = c.loadedFirst(ctx, entries)
	}
	var infos []provider.Info
	for _, e := range entries {
		if e.chats() {
			infos = append(infos, provider.Info{Name: e.ID, Context: e.context(), Size: int64(e.Meta.Size), Params: params(e.Meta.Params)})
		}
	}
	return infos, nil
}

// Describe implements provider.Model: what the list of models tells, and what llama.cpp's server and LM Studio tell beside it. A model of which
// nothing is told can use tools until it refuses them. Context is what the server runs the model with where it says so: it cannot be changed
// from here.
func (c *Client) Describe(ctx context.Context, name string) (provider.Info, error) {
	info := provider.Info{Name: name, Tools: true, Fixed: true}
	entries, err := c.entries(ctx)
	if errors.Is(err, errNoList) {
		return info, nil // some servers have none
	}
	if err != nil {
		return provider.Info{}, err
	}
	e, listed := find(entries, name)
	if !listed && !c.answersTo(ctx, name, &e) {
		if ctx.Err() != nil {
			return provider.Info{}, ctx.Err()
		}
		return provider.Info{}, c.missing(name, entries)
	}
	c.note(name, func(h *habits) {
		h.owner = e.owner()
		c.owner = h.owner
	})
	e.fill(&info)
	switch e.owner() {
	case "llamacpp":
		c.describeLlama(ctx, &info)
	case lmStudio:
		c.describeLMStudio(ctx, &info)
	}
	return info, nil
}

// Program is which server it is, as its list of models gave away when the model was described; "" when it did not.
func (c *Client) Program(model string) string {
	return map[string]string{"vllm": "vLLM", "llamacpp": "llama.cpp", "sglang": "SGLang", "library": "Ollama",
		"ray": "Ray Serve", lmStudio: "LM Studio"}[c.known(model).owner]
}

// errNoList is the cause of the error of a server that lists no models.
var errNoList = errors.New("the server has no list of models")

// entries asks for the list of models.
func (c *Client) entries(ctx context.Context) ([]entry, error) {
	var answer listing
	err := c.get(ctx, c.base.JoinPath("models"), &answer)
	var no *refusal
	if !errors.As(err, &no) {
		return answer.entries, err
	}
	e := c.explain(no, asked{})
	if !no.page && (no.status == http.StatusNotFound || no.status == http.StatusMethodNotAllowed || no.status == http.StatusNotImplemented) {
		e.Kind, e.Err, e.Hint = provider.KindFailed, errNoList, hintURL
		e.Text = fmt.Sprintf("the server at %q has no list of models (%d %s)", c.Address(), no.status, http.StatusText(no.status))
	}
	return nil, e
}

// answersTo asks for a model that is not in the list: some servers know other names for what is.
func (c *Client) answersTo(ctx context.Context, name string, e *entry) bool {
	if name == "" {
		return false
	}
	ctx, cancel := context.WithTimeout(ctx, aside)
	defer cancel()
	err := c.get(ctx, c.base.JoinPath("models", name), e)
	return err == nil && e.ID != ""
}

// missing says that there is no such model, and what there is instead.
func (c *Client) missing(name string, entries []entry) *provider.Error {
	const most = 5
	e := &provider.Error{Kind: provider.KindMissing, Text: c.sentence(provider.KindMissing, "", asked{model: name})}
	var names []string
	for _, other := range entries {
		if other.chats() && len(names) < most {
			names = append(names, c.said(other.ID))
		}
	}
	switch {
	case len(names) == most && len(entries) > most:
		e.Hint = "it has " + strings.Join(names, ", ") + " and more"
	case len(names) > 0:
		e.Hint = "it has " + strings.Join(names, ", ")
	default:
		e.Hint = "start it with a model"
	}
	return e
}

// describeLlama asks llama.cpp's server what it was started with. A server that does not say is no failure.
func (c *Client) describeLlama(ctx context.Context, info *provider.Info) {
	var props struct {
		Settings struct {
			Context count `json:"n_ctx"`
		} `json:"default_generation_settings"`
		Modalities struct {
			Vision bool `json:"vision"`
		} `json:"modalities"`
	}
	ctx, cancel := context.WithTimeout(ctx, aside)
	defer cancel()
	if c.get(ctx, c.root().JoinPath("props"), &props) != nil {
		return
	}
	info.Vision = props.Modalities.Vision
	if n := int(props.Settings.Context); n > 0 {
		info.Context = n
	}
}

// describeLMStudio asks LM Studio what it knows of the model. Until that is loaded nobody knows its context: it may be far smaller than what
// the model was trained for.
func (c *Client) describeLMStudio(ctx context.Context, info *provider.Info) {
	if e, ok := find(c.lmStudioModels(ctx), info.Name); ok {
		e.fill(info)
		info.Context = int(e.LoadedContext)
	}
}

// loadedFirst puts the models first that are in LM Studio's memory.
func (c *Client) loadedFirst(ctx context.Context, entries []entry) []entry {
	known := c.lmStudioModels(ctx)
	waiting := func(e entry) int {
		if k, ok := find(known, e.ID); ok && k.State == "loaded" {
			return 0
		}
		return 1
	}
	slices.SortStableFunc(entries, func(a, b entry) int { return waiting(a) - waiting(b) })
	return entries
}

// lmStudioModels is what LM Studio's own API tells of its models, nothing when it does not answer.
func (c *Client) lmStudioModels(ctx context.Context) []entry {
	ctx, cancel := context.WithTimeout(ctx, aside)
	defer cancel()
	var answer listing
	if c.get(ctx, c.root().JoinPath("api/v0/models"), &answer) != nil {
		return nil
	}
	return answer.entries
}
