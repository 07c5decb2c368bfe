package builtin

import (
	"context"
	"encoding/json"
)

// Tool is a tool of a scripted server.
type Tool struct {
	Name, Description string
	Schema            json.RawMessage // of the arguments, an object; must be valid JSON
	// Answer returns the result of a call. Its error becomes a failed call. It must be safe for concurrent use.
	Answer func(arguments map[string]any) (string, error)
}

// Scripted returns a server with the given tools, which change nothing.
func Scripted(name string, tools []Tool) *Server {
	s := &Server{name: name, answers: map[string]handler{}}
	listed := []map[string]any{}
	for _, t := range tools {
		s.answers[t.Name] = func(_ context.Context, a arguments) (string, error) { return t.Answer(a.values) }
		listed = append(listed, map[string]any{
			"name": t.Name, "description": t.Description, "inputSchema": t.Schema,
			"annotations": map[string]any{"readOnlyHint": true, "openWorldHint": false},
		})
	}
	s.about, _ = json.Marshal(map[string]any{ // the schemas are valid
		"serverInfo":   map[string]any{"name": name, "version": "1.0.0"},
		"capabilities": map[string]any{"tools": map[string]any{}}, "tools": listed,
	})
	return s
}
