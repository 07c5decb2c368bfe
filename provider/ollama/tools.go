package ollama

import (
	"encoding/json"
	"strings"
	"sync"

	"github.com/ollama/ollama/api"

	"github.com/aloudchat/aloud/provider"
)

// maxCached bounds the cache. A turn offers the same few tools again and again.
const maxCached = 1000

// toolCache holds tools as JSON in Ollama's form. The zero value is ready. Safe for concurrent use.
type toolCache struct {
	mu    sync.Mutex
	tools map[toolKey]json.RawMessage
}

type toolKey struct{ name, description, schema string }

// encode returns the tools in Ollama's form, in the same order.
func (c *toolCache) encode(specs []provider.ToolSpec) []json.RawMessage {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.tools == nil || len(c.tools) > maxCached {
		c.tools = map[toolKey]json.RawMessage{}
	}
	var out []json.RawMessage
	for _, spec := range specs {
		key := toolKey{spec.Name, spec.Description, string(spec.Schema)}
		encoded, known := c.tools[key]
		if !known {
			encoded = encodeTool(spec)
			c.tools[key] = encoded
		}
		out = append(out, encoded)
	}
	return out
}

func encodeTool(spec provider.ToolSpec) json.RawMessage {
	parameters, note := convert(spec.Schema)
	tool := api.Tool{Type: "function", Function: api.ToolFunction{
		Name:        spec.Name,
		Description: strings.TrimSpace(spec.Description + "\n" + note),
		Parameters:  parameters,
	}}
	encoded, err := json.Marshal(tool)
	if err != nil { // what convert makes can be written; should it not, the tool is offered without its parameters
		tool.Function.Parameters = api.ToolFunctionParameters{Type: "object", Properties: api.NewToolPropertiesMap()}
		encoded, _ = json.Marshal(tool)
	}
	return encoded
}
