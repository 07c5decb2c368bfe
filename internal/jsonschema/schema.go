// Package jsonschema reads the JSON Schemas of MCP servers, which may be hostile. It limits time and memory, and never
// loads anything.
//
// A [Schema] is used to validate and repair arguments, to check results, to build forms, and to convert schemas for
// Ollama and for small contexts. Its methods return the zero value for keywords that are missing or have the wrong
// type. [Complete] prepares the schemas of tools for model servers.
package jsonschema

import (
	"encoding/json"
	"net/url"
	"slices"
	"strconv"
	"strings"
)

// Schema is a schema or a part of one. The zero value accepts everything. A Schema is not safe for concurrent use.
type Schema struct {
	value any // *Object, bool, or nil, which accepts everything
	doc   *document
}

// document is shared by all parts of a schema.
type document struct {
	root         Schema
	targets      map[string]any // of references
	patterns     map[string]pattern
	instructions int // of all patterns
}

// Parse reads a schema. It returns false unless raw is a JSON object of a reasonable size.
func Parse(raw json.RawMessage) (Schema, bool) {
	if len(raw) > largest {
		return Schema{}, false
	}
	value, ok := Decode(raw)
	object, isObject := value.(*Object)
	if !ok || !isObject {
		return Schema{}, false
	}
	doc := &document{targets: map[string]any{}, patterns: map[string]pattern{}}
	doc.root = Schema{object, doc}
	return doc.root, true
}

// Keywords returns the keywords and their values, or nil for a schema without any. The caller must not change them.
func (s Schema) Keywords() *Object {
	object, _ := s.value.(*Object)
	return object
}

// IsFalse reports whether the schema is false, which accepts nothing.
func (s Schema) IsFalse() bool { return s.value == false }

// Value returns the value of a keyword, or nil.
func (s Schema) Value(keyword string) any {
	value, _ := s.lookup(keyword)
	return value
}

// lookup returns the value of a keyword, which may be null.
func (s Schema) lookup(keyword string) (value any, ok bool) {
	if object := s.Keywords(); object != nil {
		value, ok = object.Values[keyword]
	}
	return value, ok
}

// Has reports whether a keyword has a value other than null.
func (s Schema) Has(keyword string) bool { return s.Value(keyword) != nil }

// Text returns the string value of a keyword.
func (s Schema) Text(keyword string) string {
	text, _ := s.Value(keyword).(string)
	return text
}

// Number returns the number value of a keyword as written, or "".
func (s Schema) Number(keyword string) string {
	number, _ := s.Value(keyword).(json.Number)
	return string(number)
}

// List returns the array value of a keyword.
func (s Schema) List(keyword string) []any {
	list, _ := s.Value(keyword).([]any)
	return list
}

// Strings returns the strings in the array value of a keyword, without duplicates.
func (s Schema) Strings(keyword string) []string {
	var out []string
	known := map[string]bool{}
	for _, value := range s.List(keyword) {
		if text, ok := value.(string); ok && !known[text] {
			known[text] = true
			out = append(out, text)
		}
	}
	return out
}

// Sub returns the schema value of a keyword.
func (s Schema) Sub(keyword string) (sub Schema, ok bool) { return s.part(s.Value(keyword)) }

// part returns a value of the document as a schema.
func (s Schema) part(value any) (Schema, bool) {
	switch value.(type) {
	case *Object, bool:
		return Schema{value, s.doc}, true
	}
	return Schema{}, false
}

// Subs returns the schemas in the array value of a keyword.
func (s Schema) Subs(keyword string) []Schema {
	var out []Schema
	for _, value := range s.List(keyword) {
		if sub, ok := s.part(value); ok {
			out = append(out, sub)
		}
	}
	return out
}

// Member is a schema with its name.
type Member struct {
	Name string
	Schema
}

// Members returns the schemas in the object value of a keyword, in order.
func (s Schema) Members(keyword string) []Member {
	object, ok := s.Value(keyword).(*Object)
	if !ok {
		return nil
	}
	var out []Member
	for _, name := range object.Keys {
		if sub, ok := s.part(object.Values[name]); ok {
			out = append(out, Member{name, sub})
		}
	}
	return out
}

// Member returns the schema with a name in the object value of a keyword.
func (s Schema) Member(keyword, name string) (Schema, bool) {
	object, ok := s.Value(keyword).(*Object)
	if !ok {
		return Schema{}, false
	}
	return s.part(object.Values[name])
}

// Element returns the schema of the array element with index i.
func (s Schema) Element(i int) (Schema, bool) {
	places, rest := "prefixItems", "items"
	if s.List("items") != nil { // the syntax before 2020
		places, rest = "items", "additionalItems"
	}
	if list := s.List(places); i < len(list) {
		return s.part(list[i])
	}
	return s.Sub(rest)
}

var typeNames = []string{"string", "number", "integer", "boolean", "array", "object", "null"}

// Types returns the types in "type", or nil.
func (s Schema) Types() []string {
	names := s.Strings("type")
	if name := s.Text("type"); name != "" {
		names = []string{name}
	}
	return slices.DeleteFunc(names, func(name string) bool { return !slices.Contains(typeNames, name) })
}

// Values returns the values of "enum" or "const". listed is false if there is neither.
func (s Schema) Values() (values []any, listed bool) {
	if values = s.List("enum"); len(values) > 0 {
		return values, true
	}
	if value, ok := s.lookup("const"); ok {
		return []any{value}, true
	}
	return nil, false
}

// Property returns the schema of a member, from "properties" or "additionalProperties".
func (s Schema) Property(name string) Schema {
	sub, ok := s.Member("properties", name)
	if !ok && !s.Has("patternProperties") { // may match the name
		sub, _ = s.Sub("additionalProperties")
	}
	return sub
}

// Required returns the names in "required" without the properties that have a default: libraries such as Zod require
// those too, and their servers fill them in.
func (s Schema) Required() []string {
	return slices.DeleteFunc(s.Strings("required"), func(name string) bool {
		property, _ := s.Member("properties", name)
		target, _ := property.Ref()
		_, here := property.lookup("default")
		_, there := target.lookup("default")
		return here || there
	})
}

// Ref returns the target of "$ref". ok is false unless it is a path in the same document.
func (s Schema) Ref() (target Schema, ok bool) {
	ref := s.Text("$ref")
	if ref == "" || s.doc == nil {
		return Schema{}, false
	}
	value, known := s.doc.targets[ref]
	if !known {
		value = s.doc.follow(ref)
		s.doc.targets[ref] = value
	}
	return s.part(value)
}

func (d *document) follow(ref string) any {
	pointer, local := strings.CutPrefix(ref, "#")
	if unescaped, err := url.PathUnescape(pointer); err == nil {
		pointer = unescaped
	}
	steps, isPointer := strings.CutPrefix(pointer, "/")
	switch {
	case local && pointer == "":
		return d.root.value
	case !local || !isPointer:
		return nil
	}
	at := d.root.value
	for step := range strings.SplitSeq(steps, "/") {
		step = strings.NewReplacer("~1", "/", "~0", "~").Replace(step)
		switch inner := at.(type) {
		case *Object:
			at = inner.Values[step]
		case []any:
			i, err := strconv.Atoi(step)
			if err != nil || i < 0 || i >= len(inner) {
				return nil
			}
			at = inner[i]
		default:
			return nil
		}
	}
	return at
}

// Reach returns s and all schemas reachable by lead, breadth first and without duplicates.
func (s Schema) Reach(lead func(Schema) []Schema) []Schema {
	all, done := []Schema{s}, map[*Object]bool{s.Keywords(): true}
	for i := 0; i < len(all); i++ {
		for _, sub := range lead(all[i]) {
			if object := sub.Keywords(); object != nil && !done[object] {
				done[object] = true
				all = append(all, sub)
			}
		}
	}
	return all
}

// Implied returns the schemas that every value of s must fit: "allOf" and "$ref".
func Implied(s Schema) []Schema {
	all := s.Subs("allOf")
	if target, ok := s.Ref(); ok {
		all = append(all, target)
	}
	return all
}

// InPlace returns the schemas that apply to the same value as s.
func InPlace(s Schema) []Schema {
	return slices.Concat(Implied(s), s.Subs("anyOf"), s.Subs("oneOf"))
}

// Properties returns the properties in all parts of the schema that apply to the same value.
func (s Schema) Properties() []Member {
	var known []Member
	names := map[string]bool{}
	for _, part := range s.Reach(InPlace) {
		for _, member := range part.Members("properties") {
			if !names[member.Name] {
				names[member.Name] = true
				known = append(known, member)
			}
		}
	}
	return known
}
