package openai

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/aloudchat/aloud/provider"
	"github.com/aloudchat/aloud/provider/endpoint"
)

const (
	detailTimeout  = time.Second // limits the request for details of a model
	detailLifetime = time.Minute // how long they count: the server may be started with other settings
)

// lmStudio is the owner of models in LM Studio's list.
const lmStudio = "organization_owner"

// List implements provider.Library. It leaves out models that cannot chat. Hardly any server reports which models can
// use tools.
func (c *Client) List(ctx context.Context) ([]provider.Info, error) {
	entries, err := c.entries(ctx)
	if err != nil {
		return nil, err
	}
	if len(entries) == 0 {
		text := fmt.Sprintf("the server at %q has no models", c.Address())
		return nil, &provider.Error{Kind: provider.KindMissing, Text: text, Hint: hintStart}
	}
	var infos []provider.Info
	for _, e := range entries {
		if e.chats() {
			infos = append(infos, provider.Info{Name: e.ID, Context: e.context(), Size: int64(e.Meta.Size)})
		}
	}
	return infos, nil
}

// Describe implements provider.Model with the server's list of models, and what llama.cpp and LM Studio report
// besides it. It assumes that a model can use tools. Context is the server's setting, 0 if unknown: not the length for
// which the model was trained, since servers often run it with less.
func (c *Client) Describe(ctx context.Context, name string) (provider.Info, error) {
	info := provider.Info{Name: name, Tools: true, Fixed: true}
	entries, err := c.entries(ctx)
	if errors.Is(err, errNoList) {
		return info, nil // some servers do this
	}
	if err != nil {
		return provider.Info{}, err
	}
	var e entry
	listed := slices.IndexFunc(entries, func(e entry) bool { return e.ID == name || e.ID == name+":latest" })
	if listed >= 0 {
		e = entries[listed]
	} else if c.Fetch(ctx, c.Base.JoinPath("models", name), nil, &e) != nil || e.ID == "" { // it may be an alias
		return provider.Info{}, endpoint.Ended(ctx, c.missing(name, entries))
	}
	owner := strings.ToLower(e.OwnedBy)
	c.learn(name, func(h *habits) { h.owner, c.owner = owner, owner })
	info.Context, info.Size = e.context(), int64(e.Meta.Size)
	d := c.detailsOf(ctx, name, owner, info)
	info.Context, info.Vision, info.Blind = cmp.Or(d.context, info.Context), d.vision, d.context > 0 && !d.vision
	return info, nil
}

// Program returns the name of the server program, as found by Describe, or "" if unknown.
func (c *Client) Program(model string) string {
	return map[string]string{
		"vllm": "vLLM", "llamacpp": "llama.cpp", "sglang": "SGLang", "library": "Ollama", lmStudio: "LM Studio",
	}[c.habitsOf(model).owner]
}

// errNoList is the cause of the error of a server without a list of models.
var errNoList = errors.New("no list of models")

// entries returns the server's list of models, {"data": [models]} or a bare list. It ignores invalid entries.
func (c *Client) entries(ctx context.Context) ([]entry, error) {
	var body json.RawMessage
	if err := c.Fetch(ctx, c.Base.JoinPath("models"), nil, &body); err != nil {
		return nil, c.listError(err)
	}
	var list struct {
		Data []json.RawMessage `json:"data"`
	}
	if err := json.Unmarshal(body, &list); err != nil && json.Unmarshal(body, &list.Data) != nil {
		return nil, c.Unreadable(body, err)
	}
	if text := endpoint.ErrorText(body); text != "" && len(list.Data) == 0 { // LM Studio, with the status 200
		return nil, c.Unreadable(body, errors.New(c.Safe(text)))
	}
	var entries []entry
	for _, raw := range list.Data {
		var e entry
		if json.Unmarshal(raw, &e) == nil && e.ID != "" {
			entries = append(entries, e)
		}
	}
	return entries, nil
}

// listError completes the error of a request for the list of models.
func (c *Client) listError(err error) error {
	refusal, refused := errors.AsType[*endpoint.Refusal](err)
	if !refused {
		return err
	}
	e := c.explain(refusal, provider.Request{})
	switch refusal.Status {
	case http.StatusNotFound, http.StatusMethodNotAllowed, http.StatusNotImplemented:
		if !refusal.Page {
			e.Kind, e.Err, e.Hint = provider.KindFailed, errNoList, c.Usual
			e.Text = fmt.Sprintf("the server at %q has no list of models (%s)", c.Address(), refusal.StatusText())
		}
	}
	return e
}

const hintStart = "start it with a model"

// missing returns the error for a missing model, with the names of others.
func (c *Client) missing(name string, entries []entry) *provider.Error {
	const limit = 5
	e := &provider.Error{Kind: provider.KindMissing, Text: c.noModel(name), Hint: hintStart}
	var names []string
	for _, other := range entries {
		if other.chats() {
			names = append(names, c.Safe(other.ID))
		}
	}
	if len(names) > limit {
		names = append(names[:limit], "…")
	}
	if len(names) > 0 {
		e.Hint = "its models: " + strings.Join(names, ", ")
	}
	return e
}

// details are what a server reports besides its list of models. The zero value means that it reports nothing.
type details struct {
	context int
	vision  bool
	at      time.Time // of the request
}

// detailsOf returns the details of a listed model. They are requested from servers that are known to have them, and
// from local ones whose list lacks the context: some run llama.cpp under another name. Recent ones are not requested
// again, unless they lack the context too: the model may be loaded meanwhile.
func (c *Client) detailsOf(ctx context.Context, name, owner string, listed provider.Info) details {
	if d := c.habitsOf(name).details; time.Since(d.at) < detailLifetime {
		return d
	}
	var d details
	var err error
	switch {
	case owner == lmStudio:
		d, err = c.reported(ctx, "api/v0/models", name) // the path of one model is not documented for names with a slash
	case owner == "llamacpp", listed.Context == 0 && c.Local():
		d, err = c.reported(ctx, "props", name)
	}
	refusal, refused := errors.AsType[*endpoint.Refusal](err)
	hasNone := refused && (refusal.Status == http.StatusNotFound || refusal.Status == http.StatusMethodNotAllowed)
	if d.context > 0 || hasNone {
		d.at = time.Now()
		c.learn(name, func(h *habits) { h.details = d })
	}
	return d
}

// reported reads the details of a model at a path that a server may have besides OpenAI's. llama.cpp reports the
// settings that it was started with. LM Studio lists its models, with the context of those in memory.
func (c *Client) reported(ctx context.Context, path, name string) (d details, err error) {
	ctx, cancel := context.WithTimeout(ctx, detailTimeout)
	defer cancel()
	var body struct {
		Settings struct {
			Context endpoint.Count `json:"n_ctx"`
		} `json:"default_generation_settings"`
		Modalities struct {
			Vision bool `json:"vision"`
		} `json:"modalities"`
		Models []entry `json:"data"`
	}
	root := *c.Base
	root.Path = strings.TrimSuffix(root.Path, "/v1")
	err = c.Fetch(ctx, root.JoinPath(path), nil, &body)
	d = details{context: int(body.Settings.Context), vision: body.Modalities.Vision}
	for _, e := range body.Models {
		if e.ID == name {
			d = details{context: int(e.LoadedContext), vision: e.Type == "vlm"}
		}
	}
	return d, err
}
