package window

import (
	"bytes"
	"encoding/json"
	"strings"
)

const (
	largest     = 256 << 10 // bytes of a schema that is looked at
	deepest     = 64        // levels of nesting that are looked at
	description = 200       // bytes of the description of a required argument
)

// Slim makes the JSON Schema of a tool's arguments shorter: titles, examples and other notes go, as do the descriptions of optional arguments;
// those of required ones are cut. The rules for the arguments, references among them, and the order stay. A schema that cannot be read, is no
// object or has more than 256 KB is returned as it is.
func Slim(schema json.RawMessage) json.RawMessage {
	if len(schema) > largest || !json.Valid(schema) {
		return schema
	}
	d := diet{unevaluated: bytes.Contains(schema, []byte("unevaluated"))}
	d.schema(schema, deepest, true)
	return d.out.Bytes()
}

// diet writes one schema shorter.
type diet struct {
	out         bytes.Buffer
	unevaluated bool // the schema has keywords for which it matters that others are there
}

// schema writes a schema. needed reports whether every argument around it is required.
func (d *diet) schema(value json.RawMessage, levels int, needed bool) {
	keywords, ok := membersOf(value)
	if !ok || levels == 0 {
		d.copy(value)
		return
	}
	d.object(keywords, func(k member) bool {
		_, one := find(keywords, "const") // its title and description say what it means
		return !d.noise(k, needed, one)
	}, func(k member) {
		required := requiredIn(keywords)
		switch k.name {
		case "description":
			d.copy(brief(k.value))
		case "properties":
			d.each(k.value, func(name string, property json.RawMessage) {
				d.schema(property, levels-1, needed && required[name])
			})
		case "patternProperties", "dependentSchemas", "dependencies", "$defs", "definitions":
			d.each(k.value, func(_ string, inner json.RawMessage) { d.schema(inner, levels-1, needed) })
		case "items", "allOf", "anyOf", "oneOf", "prefixItems":
			d.list(k.value, func(inner json.RawMessage) { d.schema(inner, levels-1, needed) })
		case "additionalProperties", "unevaluatedProperties", "additionalItems", "unevaluatedItems", "contains", "not", "if", "then", "else",
			"propertyNames", "contentSchema":
			d.schema(k.value, levels-1, needed)
		default:
			d.copy(k.value)
		}
	})
}

// each writes an object of schemas.
func (d *diet) each(value json.RawMessage, write func(name string, inner json.RawMessage)) {
	members, ok := membersOf(value)
	if !ok {
		d.copy(value)
		return
	}
	d.object(members, func(member) bool { return true }, func(m member) { write(m.name, m.value) })
}

// list writes a list of schemas, or the one that stands in its place.
func (d *diet) list(value json.RawMessage, write func(json.RawMessage)) {
	var inner []json.RawMessage
	if json.Unmarshal(value, &inner) != nil {
		write(value)
		return
	}
	d.out.WriteByte('[')
	for i, one := range inner {
		if i > 0 {
			d.out.WriteByte(',')
		}
		write(one)
	}
	d.out.WriteByte(']')
}

func (d *diet) object(members []member, keep func(member) bool, write func(member)) {
	d.out.WriteByte('{')
	first := true
	for _, m := range members {
		if !keep(m) {
			continue
		}
		if !first {
			d.out.WriteByte(',')
		}
		first = false
		d.copy(quoted(m.name))
		d.out.WriteByte(':')
		write(m)
	}
	d.out.WriteByte('}')
}

// copy writes a value as it is, without white space.
func (d *diet) copy(value json.RawMessage) { _ = json.Compact(&d.out, value) } // it is valid

// noise reports whether a keyword says nothing of the arguments to a model, or nothing that is not so without it.
func (d *diet) noise(k member, needed, explains bool) bool {
	switch value := string(k.value); k.name {
	case "title":
		return !explains
	case "examples", "example", "$comment", "$schema", "readOnly", "writeOnly":
		return true
	case "description":
		return !needed && !explains || value == `""`
	case "additionalProperties", "additionalItems":
		return !d.unevaluated && (value == "true" || value == "{}")
	case "required":
		return value == "[]"
	case "default":
		return value == "null"
	case "minLength", "minItems", "minProperties":
		return value == "0"
	case "uniqueItems", "nullable", "deprecated", "exclusiveMinimum", "exclusiveMaximum":
		return value == "false"
	}
	return strings.HasPrefix(k.name, "x-")
}

// brief cuts a description, preferably after a sentence or a word.
func brief(value json.RawMessage) json.RawMessage {
	var text string
	if json.Unmarshal(value, &text) != nil || len(text) <= description {
		return value
	}
	text = text[:border(text, description-len("…"))]
	if i := strings.LastIndex(text, ". "); i > description/2 {
		return quoted(text[:i+1])
	}
	if i := strings.LastIndexByte(text, ' '); i > description/2 {
		text = text[:i]
	}
	return quoted(text + "…")
}

// member is one of an object.
type member struct {
	name  string
	value json.RawMessage
}

// membersOf returns the members of an object in their order. ok is false for any other value.
func membersOf(object json.RawMessage) (members []member, ok bool) {
	decoder := json.NewDecoder(bytes.NewReader(object))
	if opening, err := decoder.Token(); err != nil || opening != json.Delim('{') {
		return nil, false
	}
	for decoder.More() {
		var m member
		name, err := decoder.Token()
		if err == nil {
			err = decoder.Decode(&m.value)
		}
		if err != nil {
			return nil, false
		}
		m.name, _ = name.(string)
		members = append(members, m)
	}
	return members, true
}

func find(members []member, name string) (value json.RawMessage, ok bool) {
	for _, m := range members {
		if m.name == name {
			value, ok = m.value, true
		}
	}
	return value, ok
}

func requiredIn(keywords []member) map[string]bool {
	value, _ := find(keywords, "required")
	var names []string
	_ = json.Unmarshal(value, &names) // old schemas have a boolean here
	required := make(map[string]bool, len(names))
	for _, name := range names {
		required[name] = true
	}
	return required
}

func quoted(text string) json.RawMessage {
	out, _ := json.Marshal(text) // a string has no way to fail
	return out
}
