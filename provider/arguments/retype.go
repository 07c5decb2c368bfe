package arguments

import (
	"encoding/json"
	"slices"
	"strings"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/aloudchat/aloud/provider/loosejson"
	"github.com/aloudchat/aloud/schema"
)

// retype writes a value as the type that the schema wants, when nothing is lost by it.
func (m *mender) retype(s *jsonschema.Schema, v any, path string) any {
	allowed := values(s)
	if changed, ok := oneAllowed(allowed, v); ok {
		m.note(path, v, changed)
		return changed
	}
	if s.Types == nil || slices.Contains(s.Types.ToStrings(), typeName(v)) {
		return v
	}
	var first any
	for _, want := range s.Types.ToStrings() {
		changed, ok := m.as(want, s, v, path)
		if !ok {
			continue
		}
		if m.fits(s, changed) {
			m.note(path, v, changed)
			return changed
		}
		if first == nil {
			first = changed
		}
	}
	if first == nil {
		return v
	}
	m.note(path, v, first)
	return first
}

// values are those that the schema lists, nil when it lists none.
func values(s *jsonschema.Schema) []any {
	switch {
	case s.Const != nil:
		return []any{*s.Const}
	case s.Enum != nil:
		return s.Enum.Values
	}
	return nil
}

// oneAllowed is the one value of those allowed that v is but for its case, the white space around it, or its quotes.
func oneAllowed(allowed []any, v any) (changed any, ok bool) {
	text, isScalar := scalar(v)
	if !isScalar || text == "" {
		return nil, false
	}
	for _, value := range allowed {
		other, isScalar := scalar(value)
		if value == v {
			return nil, false
		}
		if !isScalar || !strings.EqualFold(strings.TrimSpace(text), other) {
			continue
		}
		if ok {
			return nil, false // it may be either
		}
		changed, ok = value, true
	}
	return changed, ok
}

// scalar is the text of a string, a number, true or false.
func scalar(v any) (string, bool) {
	switch v := v.(type) {
	case string:
		return v, true
	case json.Number:
		return string(v), true
	case bool:
		if v {
			return "true", true
		}
		return "false", true
	}
	return "", false
}

// as writes v as a type.
func (m *mender) as(want string, s *jsonschema.Schema, v any, path string) (any, bool) {
	text, isText := v.(string)
	text = strings.TrimSpace(text)
	switch want {
	case "null":
		return nil, isText && strings.EqualFold(text, "null")
	case "boolean":
		return strings.EqualFold(text, "true"), isText && (strings.EqualFold(text, "true") || strings.EqualFold(text, "false"))
	case "integer", "number":
		number, ok := asNumber(text, want == "integer")
		return number, isText && ok
	case "string":
		written, ok := scalar(v)
		return written, ok
	case "object":
		return m.parsed(text, '{')
	case "array":
		if list, ok := m.parsed(text, '['); ok {
			return list, true
		}
		return m.listOf(s, v, path)
	}
	return nil, false
}

// asNumber is the number that a text is. As an integer it loses its zeros behind the point.
func asNumber(text string, integer bool) (json.Number, bool) {
	text, ok := loosejson.Number(text)
	if integer {
		if whole, zeros, _ := strings.Cut(text, "."); strings.Trim(zeros, "0") == "" {
			text = whole
		}
		ok = ok && !strings.ContainsAny(text, ".eE")
	}
	return json.Number(text), ok && schema.ModestNumber(text)
}

// parsed is the JSON in a string.
func (m *mender) parsed(text string, opening byte) (any, bool) {
	if text == "" || text[0] != opening {
		return nil, false
	}
	raw := loosejson.Mend([]byte(text))
	value, ok := schema.Decode(raw)
	if ok {
		m.order.add(raw)
	}
	return value, ok
}

// listOf is a list of one value, when that is one that may be in it.
func (m *mender) listOf(s *jsonschema.Schema, v any, path string) (any, bool) {
	if v == nil {
		return nil, false
	}
	before := len(m.notes)
	list := m.array(s, []any{v}, path)
	m.notes = m.notes[:before] // that it becomes a list tells it all
	return list, m.fits(s, list)
}

// typeName is the name that JSON Schema has for the type of a value.
func typeName(v any) string {
	switch v.(type) {
	case nil:
		return "null"
	case bool:
		return "boolean"
	case json.Number:
		return "number"
	case string:
		return "string"
	case []any:
		return "array"
	}
	return "object"
}
