package window

import (
	"bytes"
	"encoding/json"
	"slices"
	"strings"

	"github.com/aloudchat/aloud/jsonschema"
)

const (
	largest     = 256 << 10 // bytes of a schema that is read
	description = 200       // bytes of the description of a required argument
)

// Slim makes the JSON Schema of a tool's arguments shorter: titles, examples and other notes go, as do the descriptions of optional arguments;
// those of required ones are cut. The rules for the arguments, references among them, and the order stay. A schema that cannot be read, is no
// object or has more than 256 KB is returned as it is.
func Slim(schema json.RawMessage) json.RawMessage {
	if len(schema) > largest {
		return schema
	}
	value, ok := jsonschema.Decode(schema)
	root, isObject := value.(*jsonschema.Object)
	if !ok || !isObject {
		return schema
	}
	d := diet{unevaluated: bytes.Contains(schema, []byte("unevaluated"))}
	return jsonschema.Encode(d.schema(root, true))
}

// diet makes one schema shorter.
type diet struct {
	unevaluated bool // the schema has keywords for which it matters that others are there
}

// schema makes a schema shorter. needed reports whether every argument around it is required.
func (d diet) schema(value any, needed bool) any {
	keywords, ok := value.(*jsonschema.Object)
	if !ok {
		return value
	}
	out := jsonschema.NewObject()
	required, _ := keywords.Values["required"].([]any)
	for _, key := range keywords.Keys {
		value := keywords.Values[key]
		if d.noise(keywords, key, needed) {
			continue
		}
		switch key {
		case "description":
			value = brief(value)
		case "properties":
			value = each(value, func(name string, property any) any {
				return d.schema(property, needed && slices.Contains(required, any(name)))
			})
		case "patternProperties", "dependentSchemas", "dependencies", "$defs", "definitions":
			value = each(value, func(_ string, inner any) any { return d.schema(inner, needed) })
		case "items", "allOf", "anyOf", "oneOf", "prefixItems":
			value = d.list(value, needed)
		case "additionalProperties", "unevaluatedProperties", "additionalItems", "unevaluatedItems", "contains", "not", "if", "then", "else",
			"propertyNames", "contentSchema":
			value = d.schema(value, needed)
		}
		out.Set(key, value)
	}
	return out
}

// each makes the members of an object shorter.
func each(value any, short func(name string, inner any) any) any {
	object, ok := value.(*jsonschema.Object)
	if !ok {
		return value
	}
	out := jsonschema.NewObject()
	for _, name := range object.Keys {
		out.Set(name, short(name, object.Values[name]))
	}
	return out
}

// list makes a list of schemas shorter, or the one in its place.
func (d diet) list(value any, needed bool) any {
	list, ok := value.([]any)
	if !ok {
		return d.schema(value, needed)
	}
	out := []any{}
	for _, inner := range list {
		out = append(out, d.schema(inner, needed))
	}
	return out
}

// noise reports whether a keyword says nothing of the arguments to a model, or nothing that is not so without it.
func (d diet) noise(keywords *jsonschema.Object, key string, needed bool) bool {
	_, explains := keywords.Values["const"] // its title and description say what it means
	is := func(raw string) bool { return string(jsonschema.Encode(keywords.Values[key])) == raw }
	switch key {
	case "title":
		return !explains
	case "examples", "example", "$comment", "$schema", "readOnly", "writeOnly":
		return true
	case "description":
		return !needed && !explains || is(`""`)
	case "additionalProperties", "additionalItems":
		return !d.unevaluated && (is("true") || is("{}"))
	case "required":
		return is("[]")
	case "default":
		return is("null")
	case "minLength", "minItems", "minProperties":
		return is("0")
	case "uniqueItems", "nullable", "deprecated", "exclusiveMinimum", "exclusiveMaximum":
		return is("false")
	}
	return strings.HasPrefix(key, "x-")
}

// brief cuts a description, preferably after a sentence or a word.
func brief(value any) any {
	text, ok := value.(string)
	if !ok || len(text) <= description {
		return value
	}
	text = text[:border(text, description-len("…"))]
	if i := strings.LastIndex(text, ". "); i > description/2 {
		return text[:i+1]
	}
	if i := strings.LastIndexByte(text, ' '); i > description/2 {
		text = text[:i]
	}
	return text + "…"
}
