package elicit

import (
	"cmp"
	"fmt"
	"reflect"
	"slices"
	"strconv"

	"github.com/aloudchat/aloud/internal/jsonschema"
)

// newField returns the field for a property, with at most maxOptions options.
func newField(name string, s jsonschema.Schema, maxOptions int) (Field, error) {
	f := Field{Name: name}
	var value any
	for range 4 { // a reference may lead to a choice between another reference and null
		f.Title = cmp.Or(f.Title, title(s.Text("title")))
		f.Description = cmp.Or(f.Description, description(s))
		if value == nil {
			value = s.Value("default")
		}
		next, ok := s.Ref()
		if !ok {
			next, ok = nonNull(s)
		}
		if !ok {
			break
		}
		s = next
	}
	f.Title = cmp.Or(f.Title, title(name), "(no name)")
	f.schema = s
	if !f.setKind(maxOptions) {
		return f, fmt.Errorf("the field %q has a type that forms do not support", f.Title)
	}
	value = simple(value)
	if list, ok := value.([]any); ok { // Check accepts anything if the list of options is very long
		value = slices.DeleteFunc(list, func(v any) bool { return v != nil && !reflect.TypeOf(v).Comparable() })
	}
	if value != nil && f.Check(value) == nil {
		f.Default = value
	}
	return f, nil
}

// nonNull returns the other schema of a choice between null and one schema, which some servers write for an optional
// field.
func nonNull(s jsonschema.Schema) (jsonschema.Schema, bool) {
	branches := s.Subs("anyOf")
	if len(branches) != 2 {
		return jsonschema.Schema{}, false
	}
	for i, b := range branches {
		if b.Text("type") == "null" {
			return branches[1-i], true
		}
	}
	return jsonschema.Schema{}, false
}

// typeOf returns the only type besides null that a schema allows, or "".
func typeOf(s jsonschema.Schema) string {
	types := jsonschema.InOrder(s.Types())
	if len(types) == 1 || len(types) == 2 && types[1] == "null" {
		return types[0]
	}
	return ""
}

// setKind sets how the field is filled in, and reports whether a form supports it. A choice with more than maxOptions
// options becomes a text field.
func (f *Field) setKind(maxOptions int) bool {
	s := f.schema
	kind := typeOf(s)
	if found := options(s, maxOptions); found != nil && kind != "array" && kind != "object" {
		f.Kind, f.Options = Choice, found
		return true
	}
	switch kind {
	case "string":
		f.Kind, f.Format = Text, Format(s.Text("format"))
	case "number", "integer":
		f.Kind, f.Min, f.Max = Kind(kind), number(s, "minimum"), number(s, "maximum")
	case "boolean":
		f.Kind = Boolean
	case "array":
		items, _ := s.Sub("items")
		if found := options(items, maxOptions); found != nil {
			f.Kind, f.Options = Choices, found
		}
	}
	return f.Kind != ""
}

// options returns the values of a choice, or nil if the schema is not one or has too many.
func options(s jsonschema.Schema, maxOptions int) []Option {
	values, listed := s.Values()
	titles := s.List("enumNames")
	if !listed {
		for _, branch := range append(s.Subs("oneOf"), s.Subs("anyOf")...) {
			one, ok := branch.Values()
			if !ok || len(one) != 1 {
				return nil
			}
			values, titles = append(values, one[0]), append(titles, branch.Text("title"))
		}
	}
	if len(values) > maxOptions {
		return nil
	}
	var all []Option
	for i, value := range values {
		text, ok := jsonschema.Scalar(value)
		switch {
		case value == nil:
			text = "null"
		case !ok:
			return nil
		}
		name := ""
		if i < len(titles) {
			name, _ = titles[i].(string)
		}
		all = append(all, Option{Value: simple(value), Title: cmp.Or(title(name), title(text), `""`)})
	}
	return all
}

func number(s jsonschema.Schema, keyword string) *float64 {
	n, err := strconv.ParseFloat(s.Number(keyword), 64)
	if err != nil {
		return nil
	}
	return &n
}

// simple returns a value as encoding/json decodes it, with numbers as json.Number.
func simple(value any) (out any) {
	out, _ = jsonschema.Plain(jsonschema.Encode(value)) // Encode writes valid JSON
	return out
}
