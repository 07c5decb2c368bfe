package ollama

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"iter"
	"slices"
	"strings"

	"github.com/ollama/ollama/api"
	"github.com/ollama/ollama/types/model"

	"github.com/aloudchat/aloud/provider"
)

// Describe implements provider.Model. The server is asked once for each name, until Pull fetches it anew.
func (c *Client) Describe(ctx context.Context, name string) (provider.Info, error) {
	c.mu.Lock()
	info, known := c.infos[name]
	c.mu.Unlock()
	if known {
		return info, nil
	}
	shown, err := c.api.Show(ctx, &api.ShowRequest{Model: name})
	if err != nil {
		return provider.Info{}, c.explain(ctx, err)
	}
	info = infoOf(name, shown.Capabilities, shown.Details)
	if tokens := trainedContext(shown.ModelInfo); tokens > 0 {
		info.Context = tokens
	}
	info.Remote = shown.RemoteHost != "" || shown.RemoteModel != ""
	info = c.fits(ctx, info, shown.ModelInfo)
	if ctx.Err() != nil { // what is only half known is not remembered
		return info, nil
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.infos[name] = info
	return info, nil
}

// List implements provider.Library, newest model first. Older servers do not tell there what a model can do; Describe does.
func (c *Client) List(ctx context.Context) ([]provider.Info, error) {
	listed, err := c.api.List(ctx)
	if err != nil {
		return nil, c.explain(ctx, err)
	}
	infos := make([]provider.Info, 0, len(listed.Models))
	for _, m := range listed.Models {
		info := infoOf(m.Name, m.Capabilities, m.Details)
		info.Size, info.Remote = m.Size, m.RemoteHost != "" || m.RemoteModel != ""
		infos = append(infos, info)
	}
	return infos, nil
}

func infoOf(name string, capabilities []model.Capability, details api.ModelDetails) provider.Info {
	return provider.Info{
		Name:     name,
		Tools:    slices.Contains(capabilities, model.CapabilityTools),
		Thinking: slices.Contains(capabilities, model.CapabilityThinking),
		Vision:   slices.Contains(capabilities, model.CapabilityVision),
		Known:    len(capabilities) > 0, // old servers tell none
		Context:  details.ContextLength,
		Params:   details.ParameterSize,
		Quant:    details.QuantizationLevel,
	}
}

// trainedContext finds "<architecture>.context_length".
func trainedContext(info map[string]any) int {
	architecture, _ := info["general.architecture"].(string)
	tokens, _ := info[architecture+".context_length"].(float64)
	return int(tokens)
}

// Pull implements provider.Puller. Leaving the loop or cancelling ctx stops the download; the server keeps what it has for the next time.
func (c *Client) Pull(ctx context.Context, name string) iter.Seq2[provider.PullProgress, error] {
	return func(yield func(provider.PullProgress, error) bool) {
		if err := c.pull(ctx, name, yield); err != nil {
			yield(provider.PullProgress{}, err)
		}
	}
}

func (c *Client) pull(ctx context.Context, name string, yield func(provider.PullProgress, error) bool) error {
	if strings.TrimSpace(name) == "" {
		return &provider.Error{Kind: provider.KindMissing, Text: "no model was named", Hint: "name one, for example: qwen3:8b"}
	}
	defer c.forgetInfo(name)
	s, err := c.open(ctx, "/api/pull", &api.PullRequest{Model: name})
	if err != nil {
		return err
	}
	defer s.close()
	for {
		line, err := s.next(ctx)
		if errors.Is(err, io.EOF) {
			return &provider.Error{Kind: provider.KindBroken, Text: "the download ended before it was done", Hint: "pull it again: it goes on where it stopped"}
		}
		if err != nil {
			return err
		}
		step, err := decodeStep(s.at, line)
		if err != nil {
			return err
		}
		if !yield(step, nil) {
			return nil
		}
		if step.Status == "success" {
			s.finish()
			return nil
		}
	}
}

func decodeStep(at string, line []byte) (provider.PullProgress, error) {
	var step api.ProgressResponse
	err := json.Unmarshal(line, &step)
	if text := errorText(line); text != "" {
		return provider.PullProgress{}, told(at, text, nil)
	}
	if err != nil {
		return provider.PullProgress{}, nonsense(at, line, err)
	}
	return provider.PullProgress{Status: provider.ErrorLine(step.Status), Done: step.Completed, Total: step.Total}, nil
}

func (c *Client) forgetInfo(name string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	delete(c.infos, name)
}
