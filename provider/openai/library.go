package openai

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"net/http"
	"slices"
	"strconv"
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
	info := provider.Info{Name: name, Tools: true}
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

// Pull implements provider.Library: it always fails, because these servers are started with their models.
func (c *Client) Pull(_ context.Context, name string) iter.Seq2[provider.PullProgress, error] {
	return func(yield func(provider.PullProgress, error) bool) {
		yield(provider.PullProgress{}, &provider.Error{Text: fmt.Sprintf("the server at %q cannot be asked to fetch %q", c.Address(), c.said(name)),
			Hint: "give it the model where it runs, or choose one that it has"})
	}
}

// entry is a model in the list of a server, with the fields in which the many servers say more than the standard has.
type entry struct {
	ID      string   `json:"id"`
	OwnedBy string   `json:"owned_by"`
	Type    string   `json:"type"` // "llm", "vlm", "embeddings"; LM Studio's, and Together's
	Aliases []string `json:"aliases"`
	State   string   `json:"state"` // "loaded"; LM Studio's own API

	MaxModelLen      count `json:"max_model_len"`         // vLLM, SGLang
	ContextLength    count `json:"context_length"`        // OpenRouter, Together
	ContextWindow    count `json:"context_window"`        // Groq
	MaxContextLength count `json:"max_context_length"`    // Mistral, LM Studio
	LoadedContext    count `json:"loaded_context_length"` // LM Studio
	Quantization     string
	Meta             struct {
		Trained count `json:"n_ctx_train"`
		Params  count `json:"n_params"`
		Size    count `json:"size"`
	} `json:"meta"` // llama.cpp
	Metadata struct {
		ModelID    string `json:"model_id"`
		MaxContext count  `json:"max_request_context_length"`
		Modality   string `json:"input_modality"`
	} `json:"metadata"` // Ray Serve
	Capabilities abilities `json:"capabilities"`
	Parameters   []string  `json:"supported_parameters"` // OpenRouter
	Architecture struct {
		Inputs []string `json:"input_modalities"`
	} `json:"architecture"`
}

// count is a number that may be missing, null or anything else.
type count int

// UnmarshalJSON takes what is no sensible number for none.
func (n *count) UnmarshalJSON(data []byte) error {
	if f, err := strconv.ParseFloat(strings.Trim(string(data), `"`), 64); err == nil && f > 0 && f < 1<<52 {
		*n = count(f)
	}
	return nil
}

// abilities are a list of words or a table of truths.
type abilities map[string]bool

// UnmarshalJSON takes what is neither for nothing told.
func (a *abilities) UnmarshalJSON(data []byte) error {
	var list []string
	var table map[string]any
	*a = nil
	if json.Unmarshal(data, &list) == nil {
		for _, word := range list {
			a.set(word, true)
		}
		return nil
	}
	_ = json.Unmarshal(data, &table)
	for word, v := range table {
		if yes, ok := v.(bool); ok {
			a.set(word, yes)
		}
	}
	return nil
}

func (a *abilities) set(word string, yes bool) {
	if *a == nil {
		*a = abilities{}
	}
	(*a)[word] = yes
}

// owner is which program lists the model: most servers name themselves as the owner.
func (e *entry) owner() string {
	if e.Metadata.ModelID != "" && e.OwnedBy == "organization-owner" { // the words of OpenAI's example, which others repeat, too
		return "ray"
	}
	return strings.ToLower(e.OwnedBy)
}

// fill puts into info what the entry tells.
func (e *entry) fill(info *provider.Info) {
	info.Context, info.Size, info.Params, info.Quant = e.context(), int64(e.Meta.Size), params(e.Meta.Params), e.Quantization
	if tools, told := e.Capabilities["function_calling"]; told {
		info.Tools = tools
	}
	if len(e.Parameters) > 0 {
		info.Tools = slices.Contains(e.Parameters, "tools")
		info.Thinking = slices.Contains(e.Parameters, "reasoning")
	}
	info.Vision = e.Capabilities["vision"] || e.Type == "vlm" || e.Metadata.Modality == "image" || slices.Contains(e.Architecture.Inputs, "image")
	info.Thinking = info.Thinking || e.Capabilities["reasoning"]
}

// context is the smallest of what is told: what a model was trained for is more than what a server gives it.
func (e *entry) context() int {
	least := 0
	for _, n := range []count{e.LoadedContext, e.MaxModelLen, e.ContextLength, e.ContextWindow, e.MaxContextLength, e.Metadata.MaxContext, e.Meta.Trained} {
		if n > 0 && (least == 0 || int(n) < least) {
			least = int(n)
		}
	}
	return least
}

// chats tells a model that can chat from one that only embeds.
func (e *entry) chats() bool {
	completes, told := e.Capabilities["completion_chat"]
	return e.ID != "" && e.Type != "embeddings" && e.Type != "embedding" && (completes || !told) && !strings.Contains(strings.ToLower(e.ID), "embed")
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

// listing is {"data": [models]}, or the models alone.
type listing struct{ entries []entry }

// UnmarshalJSON leaves out what is no model.
func (l *listing) UnmarshalJSON(data []byte) error {
	var whole struct {
		Data []json.RawMessage `json:"data"`
	}
	if err := json.Unmarshal(data, &whole); err != nil {
		if json.Unmarshal(data, &whole.Data) != nil {
			return err
		}
	}
	if text := errorText(data); text != "" && len(whole.Data) == 0 { // LM Studio says so with a success
		return errors.New(text)
	}
	for _, raw := range whole.Data {
		var e entry
		if json.Unmarshal(raw, &e) == nil && e.ID != "" {
			l.entries = append(l.entries, e)
		}
	}
	return nil
}

// find looks for a model by its name. Ollama's tag "latest" and Google's "models/" may be left out.
func find(entries []entry, name string) (entry, bool) {
	for _, e := range entries {
		if e.ID == name || e.ID == name+":latest" || e.ID == "models/"+name || slices.Contains(e.Aliases, name) {
			return e, true
		}
	}
	return entry{}, false
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

// params writes a number of parameters as people do: 8.2B.
func params(n count) string {
	switch {
	case n >= 1e9:
		return strconv.FormatFloat(float64(n)/1e9, 'f', 1, 64) + "B"
	case n >= 1e6:
		return strconv.FormatFloat(float64(n)/1e6, 'f', 0, 64) + "M"
	}
	return ""
}
