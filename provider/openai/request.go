package openai

import (
	"encoding/json"
	"slices"

	"github.com/aloudchat/aloud/provider"
)

// request is the body of a chat completion. It omits optional fields, because servers support different ones.
type request struct {
	Model              string          `json:"model"`
	Messages           []message       `json:"messages"`
	Tools              []tool          `json:"tools,omitempty"`
	Stream             bool            `json:"stream"`
	StreamOptions      *streamOptions  `json:"stream_options,omitempty"`
	MaxTokens          int             `json:"max_tokens,omitempty"`
	Temperature        *float64        `json:"temperature,omitempty"`
	ReasoningEffort    string          `json:"reasoning_effort,omitempty"`
	ChatTemplateKwargs map[string]bool `json:"chat_template_kwargs,omitempty"`
}

type streamOptions struct {
	IncludeUsage bool `json:"include_usage"`
}

type tool struct {
	Type     string   `json:"type"`
	Function function `json:"function"`
}

type function struct {
	Name        string          `json:"name"`
	Description string          `json:"description,omitempty"`
	Parameters  json.RawMessage `json:"parameters"`
}

// newRequest returns req for a server with these habits.
func newRequest(req provider.Request, h habits) request {
	out := request{
		Model:    req.Model,
		Messages: messages(req.Messages, h.thinkingField),
		Tools:    tools(req.Tools),
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

// tools converts tools. Their schemas stay as they are, because these servers support JSON Schema.
func tools(specs []provider.ToolSpec) []tool {
	var out []tool
	for _, spec := range specs {
		schema := spec.Schema
		if !isObject(schema) {
			schema = json.RawMessage(`{"type":"object","properties":{}}`)
		}
		out = append(out, tool{"function", function{Name: spec.Name, Description: spec.Description, Parameters: schema}})
	}
	return out
}

func isObject(raw json.RawMessage) bool {
	var object map[string]json.RawMessage
	return json.Unmarshal(raw, &object) == nil && object != nil
}
