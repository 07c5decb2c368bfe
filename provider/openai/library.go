package openai

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/aloudchat/aloud/provider"
	"github.com/aloudchat/aloud/provider/endpoint"
)

// lmStudio is what LM Studio calls the owner of its models.
const lmStudio = "organization_owner"

// aside bounds requests that only add to what is known about a model.
const aside = 3 * time.Second

// List implements provider.Library. Models that cannot chat are left out where the server says so. Hardly any server
// tells which of them can use tools.
func (c *Client) List(ctx context.Context) ([]provider.Info, error) {
	entries, err := c.entries(ctx)
	if err != nil {
		return nil, err
	}
	if len(entries) == 0 {
		return nil, &provider.Error{Kind: provider.KindMissing, Text: fmt.Sprintf("the server at %q has no model", c.Address()), Hint: "start it with one"}
	}
	var infos []provider.Info
	for _, e := range entries {
		if e.chats() {
			infos = append(infos, provider.Info{Name: e.ID, Context: e.context(), Size: int64(e.Meta.Size)})
		}
	}
	return infos, nil
}

// Describe implements provider.Model: what the list of models tells, and what llama.cpp's server tells beside it. A
// model of which nothing is told can use tools until it refuses them. Context is what the server runs the model with
// where it says so: it cannot be changed from here.
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
	if !listed && (c.get(ctx, c.Base.JoinPath("models", name), &e) != nil || e.ID == "") { // some servers know other names, too
		return provider.Info{}, endpoint.Ended(ctx, c.missing(name, entries))
	}
	owner := strings.ToLower(e.OwnedBy)
	c.note(name, func(h *habits) { h.owner, c.owner = owner, owner })
	info.Context, info.Size, info.Quant, info.Vision = e.context(), int64(e.Meta.Size), e.Quantization, e.Type == "vlm"
	if owner == "llamacpp" {
		c.describeLlama(ctx, &info)
	}
	return info, nil
}

// Program is which server it is, as its list of models told when the model was described; "" when it did not.
func (c *Client) Program(model string) string {
	return map[string]string{"vllm": "vLLM", "llamacpp": "llama.cpp", "sglang": "SGLang", "library": "Ollama", lmStudio: "LM Studio"}[c.known(model).owner]
}

// errNoList is the cause of the error of a server that lists no models.
var errNoList = errors.New("the server has no list of models")

// entries asks for the list of models: {"data": [models]}, or the models alone. What is no model is left out.
func (c *Client) entries(ctx context.Context) ([]entry, error) {
	var answer json.RawMessage
	if err := c.get(ctx, c.Base.JoinPath("models"), &answer); err != nil {
		return nil, c.noEntries(err)
	}
	var list struct {
		Data []json.RawMessage `json:"data"`
	}
	if err := json.Unmarshal(answer, &list); err != nil && json.Unmarshal(answer, &list.Data) != nil {
		return nil, c.Nonsense(answer, err)
	}
	if text := endpoint.ErrorText(answer); text != "" && len(list.Data) == 0 { // LM Studio says so with a success
		return nil, c.Nonsense(answer, errors.New(c.Said(text)))
	}
	var entries []entry
	for _, raw := range list.Data {
		var e entry
		if json.Unmarshal(raw, &e) == nil && e.ID != "" {
			entries = append(entries, e)
		}
	}
	if len(entries) > 0 && entries[0].OwnedBy == lmStudio {
		return c.lmStudioModels(ctx, entries), nil
	}
	return entries, nil
}

func (c *Client) noEntries(err error) error {
	no, refused := errors.AsType[*endpoint.Refusal](err)
	if !refused {
		return err
	}
	e := c.explain(no, asked{})
	switch no.Status {
	case http.StatusNotFound, http.StatusMethodNotAllowed, http.StatusNotImplemented:
		if !no.Page {
			e.Kind, e.Err, e.Hint = provider.KindFailed, errNoList, c.Usual
			e.Text = fmt.Sprintf("the server at %q has no list of models (%d %s)", c.Address(), no.Status, http.StatusText(no.Status))
		}
	}
	return e
}

// lmStudioModels are the models as LM Studio's own API describes them, those in memory first; without an answer they are
// as the list has them.
func (c *Client) lmStudioModels(ctx context.Context, listed []entry) []entry {
	ctx, cancel := context.WithTimeout(ctx, aside)
	defer cancel()
	var answer struct {
		Data []entry `json:"data"`
	}
	if c.get(ctx, c.root().JoinPath("api/v0/models"), &answer) != nil || len(answer.Data) == 0 {
		return listed
	}
	for i := range answer.Data {
		answer.Data[i].OwnedBy = lmStudio
	}
	slices.SortStableFunc(answer.Data, func(a, b entry) int { return strings.Compare(a.State, b.State) }) // "loaded" is before "not-loaded"
	return answer.Data
}

// missing says that there is no such model, and what there is instead.
func (c *Client) missing(name string, entries []entry) *provider.Error {
	const most = 5
	e := &provider.Error{Kind: provider.KindMissing, Text: c.sentence(provider.KindMissing, "", name), Hint: "start it with a model"}
	var names []string
	for _, other := range entries {
		if other.chats() {
			names = append(names, c.Said(other.ID))
		}
	}
	switch {
	case len(names) > most:
		e.Hint = "it has " + strings.Join(names[:most], ", ") + " and more"
	case len(names) > 0:
		e.Hint = "it has " + strings.Join(names, ", ")
	}
	return e
}

// describeLlama asks llama.cpp's server what it was started with, if it says so.
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

// root is the address of what a server offers besides the API.
func (c *Client) root() *url.URL {
	u := *c.Base
	u.Path = strings.TrimSuffix(u.Path, "/v1")
	return &u
}
