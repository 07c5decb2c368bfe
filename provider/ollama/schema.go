package ollama

import (
	"encoding/json"
	"slices"
	"strings"

	"github.com/ollama/ollama/api"

	"github.com/aloudchat/aloud/sanitize"
)

// Bounds on what one tool's schema may unfold to. References can make a short schema endless.
const (
	maxDepth = 12
	maxNodes = 1500
	maxForms = 100       // of one object, of which each is joined with those before it
	maxBytes = 256 << 10 // of a schema that is looked at, and of what its references lead to
)

// convert turns the JSON Schema of a tool's arguments into the part of JSON Schema that Ollama's server reads. The server refuses the
// whole request for a value of a type it does not expect and forgets keywords it does not know, so references are resolved, alternatives
// are brought into the one form it has, and the constraints it would forget are said in the descriptions. note is what belongs to no single
// property; it goes into the tool's description. Any input gives a result, and the same input the same result.
func convert(schema json.RawMessage) (parameters api.ToolFunctionParameters, note string) {
	c := converter{root: schema, targets: map[string]json.RawMessage{}}
	parameters = api.ToolFunctionParameters{Type: "object", Properties: api.NewToolPropertiesMap()}
	node, ok := parseObject(schema)
	if !ok || len(schema) > maxBytes {
		return parameters, ""
	}
	node, p := c.merge(node, nil)
	node, notes := c.flatten(node, p)
	notes = append(notes, dependents(node)...)
	parameters.Required = c.properties(node, parameters.Properties, p)
	if minimum, ok := node.number("minProperties"); ok {
		notes = append(notes, "give at least "+minimum.String()+" of the arguments")
	}
	for i, words := range notes {
		notes[i] = sentence(words)
	}
	return parameters, strings.Join(notes, "\n")
}

// converter converts one schema.
type converter struct {
	root    json.RawMessage
	targets map[string]json.RawMessage // what references lead to
	nodes   int                        // converted so far
	bytes   int                        // that references led to so far
}

// path is the references that led to a node: a reference that is already on it is a circle.
type path []string

func (c *converter) exhausted(p path) bool { return c.nodes > maxNodes || len(p) > maxDepth }

// property converts one schema inside the arguments. ok is false for the schema false, which nothing fits.
func (c *converter) property(raw json.RawMessage, p path) (out api.ToolProperty, ok bool) {
	c.nodes++
	p = append(p[:len(p):len(p)], "") // one level deeper
	node, isObject := parseObject(raw)
	if !isObject || c.exhausted(p) {
		return out, strings.TrimSpace(string(raw)) != "false"
	}
	node, p = c.merge(node, p)
	var words []string
	node, out.AnyOf, words = c.alternatives(node, p)
	out.Type, out.Enum = types(node), enum(node)
	words = append(words, constraints(node)...)
	if node.has("properties") {
		out.Properties = api.NewToolPropertiesMap()
		out.Required = c.properties(node, out.Properties, p)
		if len(out.Required) > 0 { // servers before 0.24 forget the list
			words = append(words, "needs "+strings.Join(out.Required, ", "))
		}
	}
	out.Items = c.items(node, p)
	words = append(words, dependents(node)...)
	words = append(words, c.otherKeys(node, p)...)
	out.Description = describe(node.text("description"), words)
	return out, true
}

// properties converts the properties of node into out and returns which of them are required.
func (c *converter) properties(node object, out *api.ToolPropertiesMap, p path) (required []string) {
	required = node.strings("required")
	all, _ := parseObject(node.values["properties"])
	for _, name := range all.keys {
		property, ok := c.property(all.values[name], p)
		if !ok {
			required = slices.DeleteFunc(required, func(r string) bool { return r == name })
			continue
		}
		out.Set(name, property)
		// Old schemas say "required": true inside the property.
		if child, isObject := parseObject(all.values[name]); isObject && child.isTrue("required") && !slices.Contains(required, name) {
			required = append(required, name)
		}
	}
	return required
}

// items converts what an array holds; of a list with a schema for each place it becomes the alternatives.
func (c *converter) items(node object, p path) any {
	places := node.list("prefixItems")
	if len(places) == 0 {
		places = node.list("items")
	}
	if len(places) > 0 {
		if branches := c.branches(places, p); len(branches) > 1 {
			return api.ToolProperty{AnyOf: branches}
		} else if len(branches) == 1 {
			return branches[0]
		}
		return nil
	}
	if !node.has("items") {
		return nil
	}
	if item, ok := c.property(node.values["items"], p); ok {
		return item
	}
	return nil
}

// otherKeys says which keys an object may have besides its properties.
func (c *converter) otherKeys(node object, p path) (words []string) {
	patterns, _ := parseObject(node.values["patternProperties"])
	for _, pattern := range patterns.keys {
		words = append(words, "keys matching "+sanitize.Clip(pattern, 80)+c.each(patterns.values[pattern], p))
	}
	const key = "additionalProperties"
	if node.isFalse(key) && (node.has("properties") || len(words) > 0) {
		return append(words, "no other keys")
	}
	if what := c.each(node.values[key], p); what != "" {
		words = append(words, "any keys"+what)
	}
	return words
}

// each says what the values of such keys are, or nothing.
func (c *converter) each(raw json.RawMessage, p path) string {
	if _, isObject := parseObject(raw); !isObject {
		return ""
	}
	value, _ := c.property(raw, p)
	encoded, err := json.Marshal(value)
	switch {
	case err != nil || string(encoded) == "{}":
		return ""
	case len(value.Type) == 1 && value.Properties == nil && value.Items == nil && value.Description == "" && value.Enum == nil:
		return ", each with a value of type " + value.Type[0]
	}
	return ", each with a value like " + sanitize.Clip(string(encoded), 200)
}

// branches converts a list of schemas, without what nothing fits and without repetition.
func (c *converter) branches(list []json.RawMessage, p path) []api.ToolProperty {
	var out []api.ToolProperty
	var seen []string
	for _, raw := range list {
		branch, ok := c.property(raw, p)
		encoded, err := json.Marshal(branch)
		if !ok || err != nil || slices.Contains(seen, string(encoded)) {
			continue
		}
		seen = append(seen, string(encoded))
		out = append(out, branch)
	}
	return out
}

var typeNames = []string{"string", "number", "integer", "boolean", "array", "object", "null"}

// types are the JSON types node allows, told or inferred.
func types(node object) api.PropertyType {
	names := node.strings("type")
	if name := node.text("type"); name != "" {
		names = []string{name}
	}
	names = slices.DeleteFunc(names, func(name string) bool { return !slices.Contains(typeNames, name) })
	switch {
	case len(names) > 0:
		return names
	case node.has("properties"), node.has("additionalProperties"), node.has("patternProperties"):
		return api.PropertyType{"object"}
	case node.has("items"), node.has("prefixItems"):
		return api.PropertyType{"array"}
	}
	var inferred api.PropertyType
	for _, value := range enum(node) {
		if name := typeOf(value.(json.RawMessage)); !slices.Contains(inferred, name) {
			inferred = append(inferred, name)
		}
	}
	return inferred
}

// enum are the values node allows, or nil for any.
func enum(node object) []any {
	values := node.list("enum")
	if _, has := node.values["const"]; has && len(values) == 0 {
		values = []json.RawMessage{node.values["const"]}
	}
	var out []any
	for _, value := range values {
		var any any
		if json.Unmarshal(value, &any) == nil { // a number like 1e999 is JSON, but no server reads it
			out = append(out, value)
		}
	}
	return out
}

func typeOf(value json.RawMessage) string {
	switch value[0] {
	case '"':
		return "string"
	case '{':
		return "object"
	case '[':
		return "array"
	case 't', 'f':
		return "boolean"
	case 'n':
		return "null"
	}
	if strings.ContainsAny(string(value), ".eE") {
		return "number"
	}
	return "integer"
}
