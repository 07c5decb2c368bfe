package builtin

import (
	"context"
	"encoding/json"
	"fmt"
)

// Tool is a tool of a scripted server.
type Tool struct {
	Name, Description string
	Schema            json.RawMessage // of the arguments, an object
	// Answer returns the result of a call. Its error becomes a failed call. It must be safe for concurrent use.
	Answer func(arguments map[string]any) (string, error)
}

// Scripted returns a server with the given tools, which change nothing.
func Scripted(name string, tools []Tool) (*Server, error) {
	s := &Server{name: name, answers: map[string]handler{}}
	listed := []map[string]any{}
	for _, t := range tools {
		s.answers[t.Name] = func(_ context.Context, a arguments) (string, error) { return t.Answer(a.values) }
		listed = append(listed, map[string]any{
			"name": t.Name, "description": t.Description, "inputSchema": t.Schema,
			"annotations": map[string]any{"readOnlyHint": true, "openWorldHint": false},
		})
	}
	about, err := json.Marshal(map[string]any{
		"serverInfo":   map[string]any{"name": name, "version": "1.0.0"},
		"capabilities": map[string]any{"tools": map[string]any{}}, "tools": listed,
	})
	if err != nil {
		return nil, fmt.Errorf("a schema of the server %q is not JSON: %w", name, err)
	}
	s.about = about
	return s, nil
}
