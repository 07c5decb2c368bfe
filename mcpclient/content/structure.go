package content

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/aloudchat/aloud/sanitize"
)

// misfit says what is wrong with structured content, held loosely against the schema that its tool announced: the fields that must be there, and
// what kind of value each is. "" when nothing is. What is deeper is for whoever reads it; a schema may ask for any amount of work.
func misfit(content, schema json.RawMessage) string {
	var wanted struct {
		Properties map[string]struct {
			Type json.RawMessage `json:"type"`
		} `json:"properties"`
		Required []string `json:"required"`
	}
	var fields map[string]json.RawMessage
	switch {
	case len(schema) == 0 || json.Unmarshal(schema, &wanted) != nil:
		return ""
	case json.Unmarshal(content, &fields) != nil || fields == nil:
		return "it is no object"
	}
	var odd []string
	for _, name := range wanted.Required {
		if _, ok := fields[name]; !ok {
			odd = append(odd, fmt.Sprintf("%.40q is missing", name))
		}
	}
	for name, value := range fields {
		if types := typesOf(wanted.Properties[name].Type); len(types) > 0 && !slices.ContainsFunc(types, func(t string) bool { return isA(value, t) }) {
			odd = append(odd, fmt.Sprintf("%.40q is no %.40s", name, strings.Join(types, " or ")))
		}
	}
	slices.Sort(odd)
	const told = 3
	if more := len(odd) - told; more > 0 {
		odd = append(odd[:told], fmt.Sprintf("and %d more", more))
	}
	return sanitize.Line(strings.Join(odd, ", "))
}

// typesOf reads "type", one or several. What is none allows anything.
func typesOf(raw json.RawMessage) (types []string) {
	var one string
	if json.Unmarshal(raw, &one) == nil && one != "" {
		return []string{one}
	}
	if json.Unmarshal(raw, &types) != nil {
		return nil
	}
	return types
}

// isA tells whether a JSON value is of a type of JSON Schema. Of types that we do not know everything is.
func isA(value json.RawMessage, kind string) bool {
	text := strings.TrimSpace(string(value))
	switch kind {
	case "object":
		return strings.HasPrefix(text, "{")
	case "array":
		return strings.HasPrefix(text, "[")
	case "string":
		return strings.HasPrefix(text, `"`)
	case "boolean":
		return text == "true" || text == "false"
	case "null":
		return text == "null"
	case "number", "integer":
		return strings.IndexAny(text, "-0123456789") == 0
	default:
		return true
	}
}
