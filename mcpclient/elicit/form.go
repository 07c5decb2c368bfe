package elicit

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/aloudchat/aloud/internal/jsonschema"
	"github.com/aloudchat/aloud/internal/sanitize"
)

// Limits of a form.
const (
	maxFields      = 200
	maxOptions     = 1000 // of all fields together
	maxTitle       = 200  // bytes of a title
	maxDescription = 2000 // bytes of a description
)

// Form has the fields that a server asks for, in the order of its schema.
type Form struct {
	Description string // sanitized, often empty
	Fields      []Field
}

// Kind is how a field is filled in, and the type of its value.
type Kind string

// The kinds of fields, with the Go types of their values. Numbers of the schema, such as defaults, are json.Number.
const (
	Text    Kind = "text"    // string
	Number  Kind = "number"  // a number
	Integer Kind = "integer" // int64
	Boolean Kind = "boolean" // bool
	Choice  Kind = "choice"  // the Value of one of the Options
	Choices Kind = "choices" // []any: the Values of some of the Options, in their order
)

// Format is the format of a text.
type Format string

// The formats that are checked. Others are ignored.
const (
	Email    Format = "email"
	URI      Format = "uri"
	Date     Format = "date"
	DateTime Format = "date-time"
)

// Field is one value of a form.
type Field struct {
	Name        string // the key of the value, as the server sent it: not for display
	Title       string // one sanitized line, never empty
	Description string // sanitized, often empty
	Kind        Kind
	Format      Format   // of a Text
	Options     []Option // of a Choice or Choices
	Min, Max    *float64 // of a Number or Integer; nil means no limit
	Default     any      // a value that the field allows, or nil
	Required    bool

	schema jsonschema.Schema // used by Check; the zero value accepts everything
}

// Option is one value of a Choice.
type Option struct {
	Value any    // string, json.Number, bool or nil
	Title string // one sanitized line, never empty
}

// Parse reads the JSON schema of a form. An empty schema gives an empty form.
func Parse(schema json.RawMessage) (Form, error) {
	schema = bytes.TrimSpace(schema)
	if len(schema) == 0 || string(schema) == "null" {
		return Form{}, nil
	}
	root, ok := jsonschema.Parse(schema)
	properties, isObject := root.Value("properties").(*jsonschema.Object)
	if t := typeOf(root); !ok || t != "" && t != "object" || root.Has("properties") && !isObject {
		return Form{}, errors.New("the schema of the form is not a JSON schema of an object")
	}
	if properties == nil {
		properties = jsonschema.NewObject()
	}
	if len(properties.Keys) > maxFields {
		return Form{}, fmt.Errorf("the form has more than %d fields", maxFields)
	}
	required := root.Strings("required")
	f := Form{Description: description(root)}
	left := maxOptions
	for _, name := range properties.Keys {
		s, _ := root.Member("properties", name)
		field, err := newField(name, s, left)
		if err != nil {
			return Form{}, err
		}
		left -= len(field.Options)
		field.Required = slices.Contains(required, name)
		f.Fields = append(f.Fields, field)
	}
	return f, nil
}

// title returns a title as one sanitized line.
func title(text string) string { return sanitize.Clip(sanitize.Line(text), maxTitle) }

// description returns the sanitized description of a schema.
func description(s jsonschema.Schema) string {
	return sanitize.Clip(strings.TrimSpace(sanitize.Text(s.Text("description"))), maxDescription)
}
