package openai

import (
	"encoding/json"
	"slices"

	"github.com/aloudchat/aloud/provider"
)

// request is the body of a chat completion. It omits optional fields, because servers support different ones.
type request struct {
	Model              string            `json:"model"`
	Messages           []message         `json:"messages"`
	Tools              []json.RawMessage `json:"tools,omitempty"`
	Stream             bool              `json:"stream"`
	StreamOptions      *streamOptions    `json:"stream_options,omitempty"`
	MaxTokens          int               `json:"max_tokens,omitempty"`
	Temperature        *float64          `json:"temperature,omitempty"`
	ReasoningEffort    string            `json:"reasoning_effort,omitempty"`
	ChatTemplateKwargs map[string]bool   `json:"chat_template_kwargs,omitempty"`
}

type streamOptions struct {
	IncludeUsage bool `json:"include_usage"`
}

// newRequest returns req, with encoded tools, for a server with these habits.
func newRequest(req provider.Request, tools []json.RawMessage, h habits) request {
	out := request{
		Model:    req.Model,
		Messages: messages(req.Messages, h.thinkingField),
		Tools:    tools,
		Stream:   true,

		StreamOptions: &streamOptions{IncludeUsage: true},
		MaxTokens:     req.MaxTokens,
		Temperature:   req.Temperature,
	}
	out.setThinking(req, h)
	for _, o := range optional {
		if slices.Contains(h.unsupported, o.name) {
			o.drop(&out)
		}
	}
	return out
}
