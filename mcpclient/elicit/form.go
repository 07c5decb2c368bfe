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

// Limits on a form. No one would fill in a larger one.
const (
	maxFields  = 200
	maxOptions = 1000 // of all fields together
	maxTitle   = 200  // characters that are kept of a title
	maxWords   = 2000 // characters that are kept of a description
)

// Form is what is asked for, in the order of the schema.
type Form struct {
	Description string // safe text, often empty
	Fields      []Field
}

// Kind is how a field is filled in, and the type of its value.
type Kind string

// The kinds of fields, with the Go values that they give. Numbers of the schema, such as defaults, are json.Number.
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

// The formats that are checked. Others are ignored.
const (
	Email    Format = "email"
	URI      Format = "uri"
	Date     Format = "date"
	DateTime Format = "date-time"
)

// Field is one thing that is asked for.
type Field struct {
	Name        string // the key of the value, as it came: not for showing
	Title       string // one safe line, never empty
	Description string // safe text, often empty
	Kind        Kind
	Format      Format   // of a Text
	Options     []Option // of a Choice or Choices
	Min, Max    *float64 // of a Number or Integer; nil means no limit
	Default     any      // a value that the field allows; nil if there is none
	Required    bool

	schema jsonschema.Schema // what Check checks; the zero value accepts everything
}

// Option is one value of a Choice.
type Option struct {
	Value any    // string, json.Number, bool or nil
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
	f := Form{Description: words(root)}
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

// line is one safe line of a title.
func line(text string) string { return sanitize.Clip(sanitize.Line(text), maxTitle) }

// words are the safe text of a schema's description.
func words(s jsonschema.Schema) string {
	return sanitize.Clip(strings.TrimSpace(sanitize.Text(s.Text("description"))), maxWords)
}
