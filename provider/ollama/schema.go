package ollama

import (
	"encoding/json"
	"slices"
	"strings"

	"github.com/ollama/ollama/api"

	"github.com/aloudchat/aloud/jsonschema"
)

// convert converts a JSON Schema to the part of JSON Schema that Ollama supports. The server refuses requests in
// which a keyword has an unexpected type, and ignores unknown keywords. So references are resolved, and other
// keywords are added to the descriptions: "(minimum 1)".
func convert(schema json.RawMessage) api.ToolFunctionParameters {
	const limit = 256 << 10 // bytes, before and after: resolving references can make a schema endless
	out := api.ToolFunctionParameters{Type: "object", Properties: api.NewToolPropertiesMap()}
	s, ok := jsonschema.Parse(schema)
	if !ok || len(schema) > limit {
		return out
	}
	c := converter{left: limit}
	top := c.property(s, nil)
	optional := func(name string) bool { // some alternative does not require it
		return slices.ContainsFunc(top.AnyOf, func(a api.ToolProperty) bool { return !slices.Contains(a.Required, name) })
	}
	for _, alternative := range top.AnyOf { // Ollama has no alternatives at the top
		alternative.Required = slices.DeleteFunc(slices.Clone(alternative.Required), optional)
		merge(&top, alternative)
	}
	if top.Properties != nil {
		out.Properties, out.Required = top.Properties, top.Required
	}
	return out
}

// propertySize is the approximate size of a property without its texts, in bytes.
const propertySize = 100

// converter converts one schema.
type converter struct {
	left int // remaining size limit in bytes, approximate
}

// spend subtracts n bytes from the limit, and reports whether it is not exceeded.
func (c *converter) spend(n int) bool {
	c.left -= n
	return c.left >= 0
}

// property converts a schema. A schema that contains itself, so that it is in within, becomes a plain object.
func (c *converter) property(s jsonschema.Schema, within []*jsonschema.Object) (out api.ToolProperty) {
	if s.Keywords() == nil || !c.spend(propertySize) {
		return out
	}
	if slices.Contains(within, s.Keywords()) {
		return api.ToolProperty{Type: api.PropertyType{"object"}}
	}
	within = append(slices.Clip(within), s.Keywords())
	out.Type = s.Types()
	if text := s.Text("description"); c.spend(len(text)) {
		out.Description = strings.TrimSpace(text + " " + c.rules(s))
	}
	values, _ := s.Values()
	for _, value := range values {
		if encoded := jsonschema.Encode(value); c.spend(len(encoded)) {
			out.Enum = append(out.Enum, encoded)
		}
	}
	if items, ok := s.Sub("items"); ok {
		out.Items = c.property(items, within)
	}
	c.properties(&out, s, within)
	for _, sub := range jsonschema.Implied(s) {
		merge(&out, c.property(sub, within))
	}
	var alternatives []api.ToolProperty
	for _, sub := range append(s.Subs("anyOf"), s.Subs("oneOf")...) {
		alternatives = append(alternatives, c.property(sub, within))
	}
	choose(&out, alternatives)
	return out
}

// properties converts the properties of an object. An invalid schema allows any value.
func (c *converter) properties(out *api.ToolProperty, s jsonschema.Schema, within []*jsonschema.Object) {
	all, ok := s.Value("properties").(*jsonschema.Object)
	if !ok {
		return
	}
	if len(out.Type) == 0 {
		out.Type = api.PropertyType{"object"}
	}
	out.Properties = api.NewToolPropertiesMap()
	for _, name := range all.Keys {
		if !c.spend(len(name)) {
			return
		}
		sub, _ := s.Member("properties", name)
		out.Properties.Set(name, c.property(sub, within))
	}
	for _, name := range s.Strings("required") {
		if c.spend(propertySize) {
			out.Required = append(out.Required, name)
		}
	}
}

// rules lists the keywords that Ollama ignores: "(default 10, minimum 1)".
func (c *converter) rules(s jsonschema.Schema) string {
	const maxValue = 80 // runes
	var rules []string
	for _, keyword := range []string{
		"default", "format", "pattern", "minimum", "exclusiveMinimum", "maximum", "exclusiveMaximum", "multipleOf",
		"minLength", "maxLength", "minItems", "maxItems", "uniqueItems", "prefixItems", "additionalProperties",
	} {
		value := s.Value(keyword)
		if value == nil || c.left < 0 {
			continue
		}
		encoded := string(jsonschema.Encode(value))
		c.left -= len(encoded)
		rules = append(rules, keyword+" "+jsonschema.Clip(encoded, maxValue))
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
	p.Required = union(p.Required, q.Required)
	if p.Properties == nil {
		p.Properties = q.Properties
		return
	}
	for name, theirs := range q.Properties.All() {
		mine, both := p.Properties.Get(name)
		switch {
		case !both:
			mine = theirs
		case mine.Enum != nil && theirs.Enum != nil: // for example the kind of alternative objects
			mine.Enum = append(mine.Enum, theirs.Enum...)
		default:
			merge(&mine, theirs)
		}
		p.Properties.Set(name, mine)
	}
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
