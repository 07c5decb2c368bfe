package ollama

import (
	"encoding/json"
	"strings"

	"github.com/ollama/ollama/api"

	"github.com/aloudchat/aloud/internal/jsonschema"
	"github.com/aloudchat/aloud/internal/sanitize"
)

// convert converts a JSON Schema to the part of JSON Schema that Ollama supports. The server refuses requests in
// which a keyword has an unexpected type, and ignores unknown keywords. So the schema is completed, and other keywords
// are added to the descriptions: "(minimum 1)".
func convert(schema json.RawMessage) api.ToolFunctionParameters {
	s, _ := jsonschema.Parse(jsonschema.Complete(schema))
	top := property(s)
	return api.ToolFunctionParameters{Type: "object", Properties: top.Properties, Required: top.Required}
}

// property converts a completed schema.
func property(s jsonschema.Schema) (out api.ToolProperty) {
	s = jsonschema.Flat(s)
	out.Type = s.Types()
	out.Description = strings.TrimSpace(s.Text("description") + " " + rules(s))
	values, _ := s.Values()
	for _, value := range values {
		out.Enum = append(out.Enum, jsonschema.Encode(value))
	}
	if items, ok := s.Sub("items"); ok {
		out.Items = property(items)
	}
	if s.Has("properties") {
		out.Properties = api.NewToolPropertiesMap()
		for _, member := range s.Members("properties") {
			out.Properties.Set(member.Name, property(member.Schema))
		}
		if len(out.Type) == 0 {
			out.Type = api.PropertyType{"object"}
		}
	}
	out.Required = s.Strings("required")
	for _, sub := range s.Subs("anyOf") {
		out.AnyOf = append(out.AnyOf, property(sub))
	}
	return out
}

// rules lists the keywords that Ollama ignores: "(default 10, minimum 1)".
func rules(s jsonschema.Schema) string {
	const maxValue = 80 // bytes
	var rules []string
	for _, keyword := range []string{
		"default", "format", "pattern", "minimum", "exclusiveMinimum", "maximum", "exclusiveMaximum", "multipleOf",
		"minLength", "maxLength", "minItems", "maxItems", "uniqueItems", "prefixItems", "additionalProperties",
	} {
		value := s.Value(keyword)
		if value != nil {
			rules = append(rules, keyword+" "+sanitize.Clip(string(jsonschema.Encode(value)), maxValue))
		}
	}
	if rules == nil {
		return ""
	}
	return "(" + strings.Join(rules, ", ") + ")"
}
