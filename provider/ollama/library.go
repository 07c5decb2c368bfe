package ollama

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"iter"
	"slices"
	"strings"

	"github.com/ollama/ollama/api"
	"github.com/ollama/ollama/types/model"

	"github.com/aloudchat/aloud/provider"
	"github.com/aloudchat/aloud/provider/endpoint"
)

// Described is a model as the server describes it: an installed one, one in memory, or one in detail.
type Described struct {
	Name         string             `json:"name"` // in memory, of the one that was loaded; others may share its weights
	Digest       string             `json:"digest"`
	Size         int64              `json:"size"`           // in bytes, on disk or in memory
	VRAM         int64              `json:"size_vram"`      // bytes in the memory of the GPU
	Context      int                `json:"context_length"` // in memory, in tokens; 0 from old servers
	ExpiresAt    string             `json:"expires_at"`     // in memory
	RemoteModel  string             `json:"remote_model"`
	RemoteHost   string             `json:"remote_host"`
	Details      api.ModelDetails   `json:"details"`
	Capabilities []model.Capability `json:"capabilities"`
	ModelInfo    map[string]any     `json:"model_info"`
	Modelfile    string             `json:"modelfile"`
	Parameters   string             `json:"parameters"`
}

func (m Described) info(name string) provider.Info {
	return provider.Info{
		Name:     name,
		Tools:    slices.Contains(m.Capabilities, model.CapabilityTools),
		Thinking: slices.Contains(m.Capabilities, model.CapabilityThinking),
		Levels:   provider.Letters(m.Details.Family) == "gptoss",
		Vision:   slices.Contains(m.Capabilities, model.CapabilityVision),
		Known:    len(m.Capabilities) > 0, // old servers omit them
		Remote:   m.RemoteHost != "" || m.RemoteModel != "",
		Context:  m.Details.ContextLength,
		Size:     m.Size,
		Params:   m.Details.ParameterSize,
		Quant:    m.Details.QuantizationLevel,
	}
}

// Describe implements provider.Model. It caches the description of a model until the next Pull of the model, and in
// Pace until the model changes.
func (c *Client) Describe(ctx context.Context, name string) (provider.Info, error) {
	c.mu.Lock()
	info, known := c.infos[name]
	c.mu.Unlock()
	switch {
	case info.Name != "":
		return info, nil
	case known: // the one in Pace is older than the last Pull
		known = false
	default:
		info, known = c.recall(ctx, name)
	}
	if !known {
		var err error
		if info, err = c.show(ctx, name); err != nil || ctx.Err() != nil { // may be incomplete
			return info, err
		}
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.infos[name] = info
	return info, nil
}

// recall returns the description in Pace, if the server still has the model that it describes.
func (c *Client) recall(ctx context.Context, name string) (provider.Info, bool) {
	digest, info := c.Pace.Info(name)
	if digest == "" {
		return provider.Info{}, false
	}
	loaded, _ := c.InMemory(ctx, name) // zero on error
	return c.withMemory(info), loaded.Digest == digest || c.listed(ctx, name).Digest == digest
}

// show asks the server for the description, and keeps it in Pace.
func (c *Client) show(ctx context.Context, name string) (provider.Info, error) {
	var shown Described
	if err := c.get(ctx, "/api/show", api.ShowRequest{Model: name}, &shown); err != nil {
		return provider.Info{}, err
	}
	if !shown.chats() {
		return provider.Info{}, &provider.Error{Kind: provider.KindMissing,
			Text: fmt.Sprintf("the model %q cannot chat: it only embeds text", name), Hint: "choose another model"}
	}
	info := shown.info(name)
	architecture, _ := shown.ModelInfo["general.architecture"].(string)
	if tokens, _ := shown.ModelInfo[architecture+".context_length"].(float64); tokens > 0 {
		info.Context = int(tokens)
	}
	info.PerToken, info.Uncut = perToken(shown.ModelInfo), uncut(shown.ModelInfo)
	if sized := c.Local() && !info.Remote; sized || c.Pace != nil {
		listed := c.listed(ctx, name)
		if sized {
			info.Size = max(0, listed.Size)
		}
		c.Pace.NoteInfo(name, listed.Digest, info)
	}
	return c.withMemory(info), nil
}

// installed returns the models that the server has.
func (c *Client) installed(ctx context.Context) ([]Described, error) {
	var result struct{ Models []Described }
	err := c.get(ctx, "/api/tags", nil, &result)
	return result.Models, err
}

// listed returns a model as /api/tags lists it, or the zero value.
func (c *Client) listed(ctx context.Context, name string) Described {
	models, _ := c.installed(ctx) // none on error
	return named(models, name)
}

// chats reports whether a model can chat, unlike one that only embeds.
func (m Described) chats() bool {
	return !slices.Contains(m.Capabilities, model.CapabilityEmbedding) ||
		slices.Contains(m.Capabilities, model.CapabilityCompletion)
}

// List implements provider.Library. The newest model is first. Models that only embed are left out. Old servers do not
// list capabilities, so that those of a description in Pace are used.
func (c *Client) List(ctx context.Context) ([]provider.Info, error) {
	models, err := c.installed(ctx)
	limited, cancel := context.WithTimeout(ctx, psTimeout)
	defer cancel()
	var loaded struct{ Models []Described }
	_ = c.get(limited, "/api/ps", nil, &loaded) // none on error
	var infos []provider.Info
	for _, m := range models {
		info := m.info(m.Name)
		if digest, known := c.Pace.Info(m.Name); digest != "" && digest == m.Digest {
			info = known
			info.Name, info.Size = m.Name, m.Size
		}
		in := named(loaded.Models, m.Name)
		info.Loaded, info.Kept = in.Name != "", in.stays()
		if m.chats() {
			infos = append(infos, c.withMemory(info))
		}
	}
	return infos, err
}

// Pull implements provider.Puller. The server keeps the parts of a stopped download.
func (c *Client) Pull(ctx context.Context, name string) iter.Seq2[provider.PullProgress, error] {
	return func(yield func(provider.PullProgress, error) bool) {
		if err := c.pull(ctx, name, yield); err != nil {
			yield(provider.PullProgress{}, endpoint.Ended(ctx, err))
		}
	}
}

func (c *Client) pull(ctx context.Context, name string, yield func(provider.PullProgress, error) bool) error {
	if strings.TrimSpace(name) == "" {
		return &provider.Error{Kind: provider.KindMissing, Text: "missing model name", Hint: "for example: qwen3:8b"}
	}
	defer func() {
		c.mu.Lock()
		defer c.mu.Unlock()
		c.infos[name] = provider.Info{}
	}()
	s, err := c.open(ctx, "/api/pull", api.PullRequest{Model: name})
	if err != nil {
		return err
	}
	defer s.Close()
	for {
		line, err := s.Line()
		if errors.Is(err, io.EOF) {
			return &provider.Error{Kind: provider.KindBroken, Text: "the download ended early",
				Hint: "try again; it continues where it stopped"}
		}
		if err != nil {
			return err
		}
		var step api.ProgressResponse
		err = json.Unmarshal(line, &step)
		if text := endpoint.ErrorText(line); text != "" {
			return c.serverError(text, 0)
		}
		if err != nil {
			return c.Unreadable(line, err)
		}
		if !yield(provider.PullProgress{Status: c.Safe(step.Status), Done: step.Completed, Total: step.Total}, nil) {
			return nil
		}
		if step.Status == "success" {
			s.Finish()
			return nil
		}
	}
}
