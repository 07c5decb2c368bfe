package endpoint

import (
	"bytes"
	"encoding/json"
	"slices"
	"sync"

	"github.com/aloudchat/aloud/provider"
)

// Tools encodes the tools of requests. It keeps the last ones, because a turn offers the same in every request. It is
// safe for concurrent use.
type Tools struct {
	mu      sync.Mutex
	specs   []provider.ToolSpec
	encoded []json.RawMessage
}

// Encode returns the tools in JSON. encode returns one tool, and must always be the same function.
func (t *Tools) Encode(specs []provider.ToolSpec, encode func(provider.ToolSpec) any) []json.RawMessage {
	t.mu.Lock()
	defer t.mu.Unlock()
	if slices.EqualFunc(t.specs, specs, SameTool) {
		return t.encoded
	}
	t.specs, t.encoded = slices.Clone(specs), nil
	for _, spec := range specs {
		encoded, _ := json.Marshal(encode(spec)) // its values come from JSON
		t.encoded = append(t.encoded, encoded)
	}
	return t.encoded
}

// SameTool reports whether two tools are the same for a model.
func SameTool(a, b provider.ToolSpec) bool {
	return a.Name == b.Name && a.Description == b.Description && bytes.Equal(a.Schema, b.Schema)
}
