package ollama

import (
	"encoding/json"
	"slices"
	"strings"

	"github.com/ollama/ollama/api"

	"github.com/aloudchat/aloud/internal/jsonschema"
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
	var alternatives []api.ToolProperty
	for _, sub := range append(s.Subs("anyOf"), s.Subs("oneOf")...) {
		alternatives = append(alternatives, property(sub))
	}
	choose(&out, alternatives)
	return out
}

// rules lists the keywords that Ollama ignores: "(default 10, minimum 1)".
func rules(s jsonschema.Schema) string {
	const maxValue = 80 // runes
	var rules []string
	for _, keyword := range []string{
		"default", "format", "pattern", "minimum", "exclusiveMinimum", "maximum", "exclusiveMaximum", "multipleOf",
		"minLength", "maxLength", "minItems", "maxItems", "uniqueItems", "prefixItems", "additionalProperties",
	} {
		value := s.Value(keyword)
		if value != nil {
			rules = append(rules, keyword+" "+jsonschema.Clip(string(jsonschema.Encode(value)), maxValue))
		}
	}
	if rules == nil {
		return ""
	}
	return "(" + strings.Join(rules, ", ") + ")"
}

// merge adds the parts of q that p lacks.
func merge(p *api.ToolProperty, q api.ToolProperty) {
	if !strings.Contains(p.Description, q.Description) {
		p.Description = strings.TrimSpace(p.Description + " " + q.Description)
	}
	if len(p.Type) == 0 {
		p.Type = q.Type
	}
	if p.Enum == nil {
		p.Enum = q.Enum
	}
	if p.Items == nil {
		p.Items = q.Items
	}
	if p.AnyOf == nil {
		p.AnyOf = q.AnyOf
	}
	if p.Properties == nil {
		p.Properties = q.Properties
	} else {
		for name, property := range q.Properties.All() {
			if _, has := p.Properties.Get(name); !has {
				p.Properties.Set(name, property)
			}
		}
	}
	p.Required = union(p.Required, q.Required)
}

// choose adds alternatives to p. Plain types and values become one list. Null next to one alternative becomes another
// type of it.
func choose(p *api.ToolProperty, alternatives []api.ToolProperty) {
	isNull := func(q api.ToolProperty) bool { return q.Type.String() == "null" && isPlain(q) }
	others := slices.DeleteFunc(slices.Clone(alternatives), isNull)
	values, allPlain := 0, true
	for _, q := range others {
		allPlain = allPlain && isPlain(q)
		if q.Enum != nil {
			values++
		}
	}
	switch {
	case len(others) == 1:
		merge(p, others[0])
	case allPlain && (values == 0 || values == len(others)):
		for _, q := range others {
			p.Type, p.Enum = union(p.Type, q.Type), append(p.Enum, q.Enum...)
		}
	default:
		p.AnyOf = alternatives
		return
	}
	if len(others) < len(alternatives) && len(p.Type) > 0 {
		p.Type = union(p.Type, []string{"null"})
	}
}

// isPlain reports whether a property has only types and values.
func isPlain(p api.ToolProperty) bool {
	return p.Description == "" && p.Items == nil && p.Properties == nil && p.AnyOf == nil
}

func union(a, b []string) []string {
	a = slices.Clip(a)
	for _, text := range b {
		if !slices.Contains(a, text) {
			a = append(a, text)
		}
	}
	return a
}
