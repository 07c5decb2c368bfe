package form

import (
	"encoding/json"
	"strings"

	"github.com/aloudchat/aloud/sanitize"
)

// What an example shows of a schema, which may go on for ever.
const (
	exampleDepth = 4
	exampleParts = 8 // of one object
)

// example is JSON that has the shape of a schema, with empty values: who writes it by hand sees what goes where. "" when nothing is known.
func (r *rootSchema) example(raw json.RawMessage, depth int) string {
	s, ok := r.read(raw)
	if !ok || depth == 0 {
		return ""
	}
	if options := s.options(exampleParts); len(options) > 0 {
		text, err := json.Marshal(options[0].Value)
		if err != nil {
			return ""
		}
		return string(text)
	}
	switch kind, _ := s.kind(); kind {
	case "string":
		return `""`
	case "number", "integer":
		return "0"
	case "boolean":
		return "false"
	case "array":
		return "[" + r.example(s.Items, depth-1) + "]"
	case "object":
		return r.exampleObject(s.Properties, depth)
	default:
		return ""
	}
}

func (r *rootSchema) exampleObject(properties json.RawMessage, depth int) string {
	all, err := members(properties)
	if err != nil {
		return "{}"
	}
	var parts []string
	for _, m := range all[:min(len(all), exampleParts)] {
		value := r.example(m.schema, depth-1)
		if value == "" {
			value = "null"
		}
		parts = append(parts, string(quoted(clip(m.name, maxTitle)))+": "+value)
	}
	return "{" + strings.Join(parts, ", ") + "}"
}

func exampleLine(text string) string { return clip(sanitize.Line(text), maxTitle) }
