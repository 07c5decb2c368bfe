package elicit

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/aloudchat/aloud/jsonschema"
	"github.com/aloudchat/aloud/sanitize"
)

// What a form may have. No one would fill in a larger one.
const (
	maxFields  = 200
	maxOptions = 10_000 // of all fields together
	maxTitle   = 200    // characters that are kept of a title
	maxWords   = 2000   // characters that are kept of a description
)

// Form is what is asked for, in the order in which the schema has it.
type Form struct {
	Title       string
	Description string
	Fields      []Field
}

// Kind is how a field is filled in, and what comes of it.
type Kind string

// The kinds of fields, with the Go values that they give.
const (
	Text    Kind = "text"    // string
	Number  Kind = "number"  // float64
	Integer Kind = "integer" // int64
	Boolean Kind = "boolean" // bool
	Choice  Kind = "choice"  // the Value of one of the Options
	Choices Kind = "choices" // []any: the Values of some of the Options, in their order
	JSON    Kind = "json"    // whatever the JSON text is
)

// Format is what a text has to look like.
type Format string

// The formats that are checked; others are as if there were none.
const (
	Email    Format = "email"
	URI      Format = "uri"
	Date     Format = "date"
	DateTime Format = "date-time"
)

// Field is one thing that is asked for. Bounds that are nil do not bound.
type Field struct {
	Name        string // the key of the value, as it came: not for showing
	Title       string // one safe line, never empty
	Description string // safe text, often empty
	Kind        Kind
	Format      Format   // of a Text
	Options     []Option // of a Choice or Choices
	Min, Max    *float64 // of a Number or Integer

	MinLength, MaxLength *int // of a Text, in characters
	MinItems, MaxItems   *int // of Choices

	Default  any // a value that the field allows; nil: none
	Required bool

	schema jsonschema.Schema // what Check checks; the zero value accepts everything
}

// Option is one value of a Choice.
type Option struct {
	Value any    // string, int64, float64, bool or nil
	Title string // one safe line, never empty
}

// Parse reads the schema of an object. No schema at all asks for nothing. The error is one sentence.
func Parse(schema json.RawMessage) (Form, error) {
	schema = bytes.TrimSpace(schema)
	if len(schema) == 0 || string(schema) == "null" {
		return Form{}, nil
	}
	root, ok := jsonschema.Parse(schema)
	if !ok {
		return Form{}, errors.New("the form is not described by a JSON schema of an object")
	}
	if t := kindOf(root); t != "" && t != "object" {
		return Form{}, fmt.Errorf("the form asks for a value of type %q: it has to be an object", t)
	}
	properties, ok := root.Value("properties").(*jsonschema.Object)
	if !ok {
		if root.Has("properties") {
			return Form{}, errors.New(`the "properties" of the form are not an object`)
		}
		properties = jsonschema.NewObject()
	}
	if len(properties.Keys) > maxFields {
		return Form{}, fmt.Errorf("the form has more than %d fields", maxFields)
	}
	required := root.Strings("required")
	f := Form{Title: line(root.Text("title")), Description: sanitize.Clip(strings.TrimSpace(sanitize.Text(root.Text("description"))), maxWords)}
	left := maxOptions
	for _, name := range properties.Keys {
		s, _ := root.Member("properties", name)
		one := field(name, s, left)
		left -= len(one.Options)
		one.Required = slices.Contains(required, name)
		f.Fields = append(f.Fields, one)
	}
	return f, nil
}

// Whole is a form for the same object with one field of JSON text, whose value is the object.
func (f Form) Whole(title string) Form {
	object, _ := jsonschema.Parse(json.RawMessage(`{"type":"object"}`))
	return Form{Fields: []Field{{Title: title, Kind: JSON, Required: true, Default: map[string]any{}, schema: object}}}
}

// Defaults are the values with which the form comes, by name.
func (f Form) Defaults() map[string]any {
	values := map[string]any{}
	for _, field := range f.Fields {
		if field.Default != nil {
			values[field.Name] = field.Default
		}
	}
	return values
}

// Check tells the first thing that is wrong with the values of a whole form, with the title of its field.
func (f Form) Check(values map[string]any) error {
	for _, field := range f.Fields {
		value, given := values[field.Name]
		if !given && !field.Required {
			continue
		}
		if err := field.Check(value); err != nil {
			return fmt.Errorf("%s: %w", field.Title, err)
		}
	}
	return nil
}
