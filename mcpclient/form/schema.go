package form

import (
	"bytes"
	"cmp"
	"encoding/json"
	"math"
	"strings"

	"github.com/aloudchat/aloud/sanitize"
)

// schema is what a form understands of a JSON schema. Parts that may be of several types, or of a wrong one, are read when they are needed:
// one odd part spoils itself only.
type schema struct {
	Type        json.RawMessage `json:"type"`
	Ref         json.RawMessage `json:"$ref"`
	Title       json.RawMessage `json:"title"`
	Description json.RawMessage `json:"description"`
	Format      json.RawMessage `json:"format"`
	Default     json.RawMessage `json:"default"`

	Enum      json.RawMessage `json:"enum"`
	EnumNames json.RawMessage `json:"enumNames"`
	Const     json.RawMessage `json:"const"`
	OneOf     json.RawMessage `json:"oneOf"`
	AnyOf     json.RawMessage `json:"anyOf"`
	Items     json.RawMessage `json:"items"`

	Minimum   json.RawMessage `json:"minimum"`
	Maximum   json.RawMessage `json:"maximum"`
	MinLength json.RawMessage `json:"minLength"`
	MaxLength json.RawMessage `json:"maxLength"`
	MinItems  json.RawMessage `json:"minItems"`
	MaxItems  json.RawMessage `json:"maxItems"`

	Properties json.RawMessage `json:"properties"`
}

// rootSchema is the schema of the whole object.
type rootSchema struct {
	schema
	Required    json.RawMessage            `json:"required"`
	Defs        map[string]json.RawMessage `json:"$defs"`
	Definitions map[string]json.RawMessage `json:"definitions"`

	followed int // bytes that references led to
}

// field makes a field of a property, with at most so many options. What it does not understand is asked for as JSON.
func (r *rootSchema) field(name string, raw json.RawMessage, most int) Field {
	f := Field{Name: name, Title: cmp.Or(line(quoted(name)), "(no name)"), Kind: JSON}
	s, ok := r.read(raw)
	if !ok {
		return f
	}
	f.Title = cmp.Or(line(s.Title), f.Title)
	f.Description = words(s.Description)
	s.shape(&f, most)
	if value, ok := decode(s.Default); ok && value != nil {
		if value, err := f.settle(value); err == nil {
			f.Default = value
		}
	}
	return f
}

// read reads a schema, from where it refers to if it does. Words that stand beside the reference are nearer than those behind it.
func (r *rootSchema) read(raw json.RawMessage) (schema, bool) {
	var s schema
	if json.Unmarshal(raw, &s) != nil || string(bytes.TrimSpace(raw)) == "null" {
		return s, false
	}
	inner := s.alternative()
	if ref := one[string](s.Ref); ref != "" {
		inner = r.target(ref)
	}
	if inner == nil {
		return s, true
	}
	var meant schema
	if json.Unmarshal(inner, &meant) != nil {
		return s, true
	}
	if ref := one[string](meant.Ref); ref != "" && r.target(ref) != nil { // of a choice between that and null
		outer := meant
		meant = schema{}
		_ = json.Unmarshal(r.target(ref), &meant)
		meant.besides(outer)
	}
	meant.besides(s)
	return meant, true
}

// target is what a reference leads to. All fields may refer to the same large definition, so there is an end to that.
func (r *rootSchema) target(ref string) (found json.RawMessage) {
	if name, ok := strings.CutPrefix(ref, "#/$defs/"); ok {
		found = r.Defs[name]
	} else if name, ok := strings.CutPrefix(ref, "#/definitions/"); ok {
		found = r.Definitions[name]
	}
	if r.followed += len(found); r.followed > maxBytes {
		return nil
	}
	return found
}

// besides takes over the words that stand beside what was meant.
func (s *schema) besides(outer schema) {
	for _, part := range []struct{ mine, theirs *json.RawMessage }{
		{&s.Title, &outer.Title}, {&s.Description, &outer.Description}, {&s.Default, &outer.Default},
	} {
		if len(*part.theirs) > 0 {
			*part.mine = *part.theirs
		}
	}
}

// alternative is the one schema of a choice between that and null, which is how some write "may be left out". Nil: it is none.
func (s *schema) alternative() json.RawMessage {
	branches := list[json.RawMessage](s.AnyOf)
	if len(branches) != 2 {
		return nil
	}
	for i, b := range branches {
		var branch schema
		if json.Unmarshal(b, &branch) == nil && one[string](branch.Type) == "null" {
			return branches[1-i]
		}
	}
	return nil
}

// kind is the type that a value has to have, and whether it may be null as well. "" when there are several, or none is said.
func (s *schema) kind() (name string, nullable bool) {
	if name = one[string](s.Type); name != "" {
		return name, false
	}
	for _, t := range list[string](s.Type) {
		switch {
		case t == "null":
			nullable = true
		case name != "":
			return "", nullable
		default:
			name = t
		}
	}
	return name, nullable
}

// shape finds out how the field is filled in. A choice with more options than that is none: a value is typed, as without them.
func (s *schema) shape(f *Field, most int) {
	kind, _ := s.kind()
	if options := s.options(most); options != nil && kind != "array" && kind != "object" {
		f.Kind, f.Options = Choice, options
		return
	}
	switch kind {
	case "string":
		f.Kind, f.Format = Text, Format(one[string](s.Format))
		f.MinLength, f.MaxLength = count(s.MinLength), count(s.MaxLength)
	case "number", "integer":
		f.Kind = Kind(kind)
		f.Min, f.Max = number(s.Minimum), number(s.Maximum)
	case "boolean":
		f.Kind = Boolean
	case "array":
		f.shape = kind
		var items schema
		if json.Unmarshal(s.Items, &items) != nil {
			return
		}
		if options := items.options(most); options != nil {
			f.Kind, f.Options = Choices, options
			f.MinItems, f.MaxItems = count(s.MinItems), count(s.MaxItems)
		}
	case "object":
		f.shape = kind
	}
}

// options are the values of a choice, nil when the schema is none, or one of more than most.
func (s *schema) options(most int) []Option {
	names := list[string](s.EnumNames)
	var options []Option
	add := func(raw json.RawMessage, title string) bool {
		value, ok := decode(raw)
		if !ok || !scalar(value) || len(options) == most {
			return false
		}
		shown := cmp.Or(clip(sanitize.Line(title), maxTitle), clip(sanitize.Line(plain(value)), maxTitle), `""`)
		options = append(options, Option{Value: value, Title: shown})
		return true
	}
	for i, raw := range list[json.RawMessage](s.Enum) {
		title := ""
		if i < len(names) {
			title = names[i]
		}
		if !add(raw, title) {
			return nil
		}
	}
	if len(options) > 0 {
		return options
	}
	for _, branch := range append(list[schema](s.OneOf), list[schema](s.AnyOf)...) {
		if len(branch.Const) == 0 || !add(branch.Const, one[string](branch.Title)) {
			return nil
		}
	}
	if len(options) == 0 && len(s.Const) > 0 && !add(s.Const, "") {
		return nil
	}
	return options
}

// one reads a JSON value, the zero value when it is missing or of another type.
func one[T any](raw json.RawMessage) T {
	var value T
	if len(raw) == 0 || json.Unmarshal(raw, &value) != nil {
		var zero T
		return zero
	}
	return value
}

func list[T any](raw json.RawMessage) []T { return one[[]T](raw) }

func number(raw json.RawMessage) *float64 {
	n := one[*float64](raw)
	if n == nil || math.IsInf(*n, 0) {
		return nil
	}
	return n
}

// count reads a bound of lengths, which some write as 3.0.
func count(raw json.RawMessage) *int {
	n := number(raw)
	if n == nil || *n < 0 || *n > math.MaxInt32 {
		return nil
	}
	whole := int(*n)
	return &whole
}

// line makes a title of a JSON string.
func line(raw json.RawMessage) string { return clip(sanitize.Line(one[string](raw)), maxTitle) }

// words makes a description of a JSON string.
func words(raw json.RawMessage) string {
	return clip(strings.TrimSpace(sanitize.Text(one[string](raw))), maxWords)
}

func quoted(text string) json.RawMessage {
	raw, _ := json.Marshal(text)
	return raw
}

// clip keeps the first characters of a text.
func clip(text string, most int) string {
	n := 0
	for i := range text {
		if n == most {
			return text[:i] + "…"
		}
		n++
	}
	return text
}
