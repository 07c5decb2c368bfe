package ollama

import (
	"encoding/json"

	"github.com/ollama/ollama/api"

	"github.com/aloudchat/aloud/provider"
	"github.com/aloudchat/aloud/provider/endpoint"
)

// chatRequest is the part of api.ChatRequest that aloud uses. The api package would encode the tools again for each
// request and sort the arguments of calls, so that the server could not reuse what it has cached.
type chatRequest struct {
	Model    string            `json:"model"`
	Messages []message         `json:"messages"`
	Tools    []json.RawMessage `json:"tools,omitempty"`
	Options  map[string]any    `json:"options"`
	Think    any               `json:"think,omitempty"` // a bool, or a level
	// How long the model stays in memory; nil for as long as before, or the server's default
	KeepAlive *api.Duration `json:"keep_alive,omitempty"`
	// By default the server silently drops the oldest messages of a long prompt and the oldest tokens of a long answer.
	// If these are false, it returns an error instead.
	Truncate bool `json:"truncate"`
	Shift    bool `json:"shift"`
}

type message struct {
	Role     string     `json:"role"`
	Content  string     `json:"content"`
	Thinking string     `json:"thinking,omitempty"`
	Images   [][]byte   `json:"images,omitempty"`
	Calls    []toolCall `json:"tool_calls,omitempty"`
	Tool     string     `json:"tool_name,omitempty"`
	CallID   string     `json:"tool_call_id,omitempty"`
}

// toolCall is a call in a request or a reply.
type toolCall struct {
	ID       string `json:"id,omitempty"`
	Function struct {
		Index     endpoint.Count  `json:"index"`
		Name      string          `json:"name"`
		Arguments json.RawMessage `json:"arguments"`
	} `json:"function"`
}

func (c *Client) chatRequest(req provider.Request) chatRequest {
	out := chatRequest{
		Model: req.Model, Messages: messages(req.Messages), Tools: c.tools.Encode(req.Tools, tool),
		Options: map[string]any{"num_ctx": req.Context}, KeepAlive: c.keepAlive(req.Model),
	}
	if req.MaxTokens > 0 {
		out.Options["num_predict"] = req.MaxTokens
	}
	if req.Temperature != nil {
		out.Options["temperature"] = *req.Temperature
	}
	switch {
	case req.Think.IsLevel():
		out.Think = req.Think
	case req.Think == provider.ThinkOn || req.Think == provider.ThinkOff:
		out.Think = req.Think == provider.ThinkOn
	}
	return out
}

func tool(spec provider.ToolSpec) any {
	function := api.ToolFunction{Name: spec.Name, Description: spec.Description, Parameters: convert(spec.Schema)}
	return api.Tool{Type: "function", Function: function}
}

func messages(in []provider.Message) []message {
	out := make([]message, len(in))
	for i, m := range in {
		out[i] = message{Role: string(m.Role), Content: m.Text, Thinking: m.Thinking, Images: m.Images,
			Tool: m.Tool, CallID: m.CallID}
		for n, c := range m.Calls {
			call := toolCall{ID: c.ID}
			call.Function.Index, call.Function.Name, call.Function.Arguments = endpoint.Count(n), c.Name, c.Object()
			out[i].Calls = append(out[i].Calls, call)
		}
	}
	return out
}
