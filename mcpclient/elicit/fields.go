package elicit

import (
	"cmp"
	"encoding/json"
	"math"
	"strconv"
	"strings"

	"github.com/aloudchat/aloud/jsonschema"
	"github.com/aloudchat/aloud/sanitize"
)

// field makes a field of a property, with at most so many options. What it does not understand is asked for as JSON.
func field(name string, s jsonschema.Schema, most int) Field {
	f := Field{Name: name, Kind: JSON}
	var value any
	for range 4 { // a reference to a choice between a reference and null, and so on
		f.Title = cmp.Or(f.Title, line(s.Text("title")))
		f.Description = cmp.Or(f.Description, sanitize.Clip(strings.TrimSpace(sanitize.Text(s.Text("description"))), maxWords))
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
	if value != nil {
		if settled, err := f.settle(simple(value)); err == nil {
			f.Default = settled
		}
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

// fill finds out how the field is filled in. A choice with more options than that is none: a value is typed, as without them.
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
		f.MinLength, f.MaxLength = count(s, "minLength"), count(s, "maxLength")
	case "number", "integer":
		f.Kind = Kind(kind)
		f.Min, f.Max = number(s, "minimum"), number(s, "maximum")
	case "boolean":
		f.Kind = Boolean
	case "array":
		items, _ := s.Sub("items")
		if found := options(items, most); found != nil {
			f.Kind, f.Options = Choices, found
			f.MinItems, f.MaxItems = count(s, "minItems"), count(s, "maxItems")
		}
	}
}

// options are the values of a choice, nil when the schema is none, or one of more than most.
func options(s jsonschema.Schema, most int) []Option {
	values, listed := s.Values()
	var titles []string
	for _, title := range s.List("enumNames") {
		text, _ := title.(string)
		titles = append(titles, text)
	}
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
		value = simple(value)
		if !scalar(value) {
			return nil
		}
		title := ""
		if i < len(titles) {
			title = line(titles[i])
		}
		all = append(all, Option{Value: value, Title: cmp.Or(title, line(plain(value)), `""`)})
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

// count reads a bound of lengths, which some write as 3.0.
func count(s jsonschema.Schema, keyword string) *int {
	n := number(s, keyword)
	if n == nil || *n < 0 || *n > math.MaxInt32 {
		return nil
	}
	whole := int(*n)
	return &whole
}

// line is one safe line of a title.
func line(text string) string { return sanitize.Clip(sanitize.Line(text), maxTitle) }

// simple is a value as encoding/json gives it, but with whole numbers as int64.
func simple(value any) any {
	switch value := value.(type) {
	case json.Number:
		if whole, err := value.Int64(); err == nil {
			return whole
		}
		if n, err := value.Float64(); err == nil {
			return n
		}
	case []any:
		out := []any{}
		for _, element := range value {
			out = append(out, simple(element))
		}
		return out
	case *jsonschema.Object:
		out := map[string]any{}
		for key, member := range value.Values {
			out[key] = simple(member)
		}
		return out
	}
	return value
}
