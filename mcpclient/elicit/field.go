package elicit

import (
	"bytes"
	"cmp"
	"encoding/json"
	"reflect"
	"slices"
	"strconv"

	"github.com/aloudchat/aloud/jsonschema"
)

// field makes a field of a property, with at most so many options. Schemas that no other kind fits are asked for as JSON.
func field(name string, s jsonschema.Schema, most int) Field {
	f := Field{Name: name, Kind: JSON}
	var value any
	for range 4 { // a reference to a choice between a reference and null, and so on
		f.Title = cmp.Or(f.Title, line(s.Text("title")))
		f.Description = cmp.Or(f.Description, words(s))
		if value == nil {
			value = s.Value("default")
		}
		meant, ok := s.Ref()
		if !ok {
			meant, ok = alternative(s)
		}
		if !ok {
			break
		}
		s = meant
	}
	f.Title = cmp.Or(f.Title, line(name), "(no name)")
	f.schema = s
	f.fill(most)
	value = simple(value)
	if list, ok := value.([]any); ok && f.Kind == Choices { // with a very long list of options Check lets anything pass
		value = slices.DeleteFunc(list, func(v any) bool { return v != nil && !reflect.TypeOf(v).Comparable() })
	}
	if value != nil && f.Check(value) == nil {
		f.Default = value
	}
	return f
}

// alternative is the one schema of a choice between that and null, which is how some write "may be left out".
func alternative(s jsonschema.Schema) (jsonschema.Schema, bool) {
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

// kindOf is the type that a value has to have besides null, "" when there are several or none.
func kindOf(s jsonschema.Schema) string {
	types := jsonschema.InOrder(s.Types())
	if len(types) == 1 || len(types) == 2 && types[1] == "null" {
		return types[0]
	}
	return ""
}

// fill finds out how the field is filled in. A choice with more than most options is a field to type into.
func (f *Field) fill(most int) {
	s := f.schema
	kind := kindOf(s)
	if found := options(s, most); found != nil && kind != "array" && kind != "object" {
		f.Kind, f.Options = Choice, found
		return
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
		if found := options(items, most); found != nil {
			f.Kind, f.Options = Choices, found
		}
	}
}

// options are the values of a choice, nil when the schema is none, or one of more than most.
func options(s jsonschema.Schema, most int) []Option {
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
	if len(values) > most {
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
		title := ""
		if i < len(titles) {
			title, _ = titles[i].(string)
		}
		all = append(all, Option{Value: simple(value), Title: cmp.Or(line(title), line(text), `""`)})
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

// simple is a value as encoding/json gives it, with numbers as they were written.
func simple(value any) (out any) {
	d := json.NewDecoder(bytes.NewReader(jsonschema.Encode(value)))
	d.UseNumber()
	_ = d.Decode(&out) // Encode writes JSON
	return out
}
