package ollama

import (
	"encoding/json"
	"maps"
	"slices"

	"github.com/ollama/ollama/api"

	"github.com/aloudchat/aloud/provider"
)

func chatRequestOf(req provider.Request) *api.ChatRequest {
	no := false
	out := &api.ChatRequest{
		Model:    req.Model,
		Messages: messages(req.Messages),
		Options:  map[string]any{"num_ctx": req.Context},
		// By default the server silently drops the oldest messages of a long prompt and the oldest tokens of a long
		// answer. Without these options it returns an error instead.
		Truncate: &no,
		Shift:    &no,
	}
	for _, spec := range req.Tools {
		function := api.ToolFunction{Name: spec.Name, Description: spec.Description, Parameters: convert(spec.Schema)}
		out.Tools = append(out.Tools, api.Tool{Type: "function", Function: function})
	}
	if req.MaxTokens > 0 {
		out.Options["num_predict"] = req.MaxTokens
	}
	if req.Temperature != nil {
		out.Options["temperature"] = *req.Temperature
	}
	if req.Think == provider.ThinkOn || req.Think == provider.ThinkOff {
		out.Think = &api.ThinkValue{Value: req.Think == provider.ThinkOn}
	}
	return out
}

func messages(in []provider.Message) []api.Message {
	out := make([]api.Message, len(in))
	for i, m := range in {
		out[i] = api.Message{Role: string(m.Role), Content: m.Text, Thinking: m.Thinking,
			ToolName: m.Tool, ToolCallID: m.CallID}
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

// apiArguments converts the arguments of a call. Arguments that are not an object, left by a repaired or cancelled
// call, become {}, because the server refuses others.
func apiArguments(raw json.RawMessage) api.ToolCallFunctionArguments {
	out := api.NewToolCallFunctionArguments()
	var object map[string]json.RawMessage
	_ = json.Unmarshal(raw, &object)
	for _, key := range slices.Sorted(maps.Keys(object)) {
		out.Set(key, object[key])
	}
	return out
}
