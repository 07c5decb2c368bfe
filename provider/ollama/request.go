package ollama

import (
	"encoding/json"

	"github.com/ollama/ollama/api"

	"github.com/aloudchat/aloud/provider"
)

// chatRequest is api.ChatRequest with tools that are JSON already.
type chatRequest struct {
	api.ChatRequest
	Tools []json.RawMessage `json:"tools,omitempty"`
}

// chatRequest writes req in Ollama's form.
func (c *Client) chatRequest(req provider.Request) chatRequest {
	no := false
	out := chatRequest{
		ChatRequest: api.ChatRequest{
			Model:    req.Model,
			Messages: messages(req.Messages),
			Options:  map[string]any{"num_ctx": req.Context},
			// By default the server drops the oldest messages without a word when the prompt is too long, and the oldest tokens
			// when the answer is. Aloud wants to know.
			Truncate: &no,
			Shift:    &no,
		},
		Tools: c.tools.encode(req.Tools),
	}
	if req.MaxTokens > 0 {
		out.Options["num_predict"] = req.MaxTokens
	}
	if req.Temperature != nil {
		out.Options["temperature"] = *req.Temperature
	}
	switch req.Think {
	case provider.ThinkOn:
		out.Think = &api.ThinkValue{Value: true}
	case provider.ThinkOff:
		out.Think = &api.ThinkValue{Value: false}
	}
	return out
}

// messages converts a conversation.
func messages(in []provider.Message) []api.Message {
	out := make([]api.Message, len(in))
	for i, m := range in {
		out[i] = api.Message{Role: string(m.Role), Content: m.Text, Thinking: m.Thinking, ToolName: m.Tool, ToolCallID: m.CallID}
		for _, image := range m.Images {
			out[i].Images = append(out[i].Images, image)
		}
		for n, call := range m.Calls {
			out[i].ToolCalls = append(out[i].ToolCalls, api.ToolCall{
				ID:       call.ID,
				Function: api.ToolCallFunction{Index: n, Name: call.Name, Arguments: apiArguments(call.Arguments)},
			})
		}
	}
	return out
}
