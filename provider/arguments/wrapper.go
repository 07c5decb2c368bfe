package arguments

import (
	"slices"

	"github.com/santhosh-tekuri/jsonschema/v6"
)

// wrappers are keys under which models put all arguments once more.
var wrappers = []string{"arguments", "parameters", "properties", "input", "args", "params", "kwargs"}

// companions are what may stand beside a wrapper and says nothing: the name of the tool, or words of a schema.
var companions = []string{"name", "type", "function", "tool", "required", "additionalProperties", "title", "$schema"}

// wrapper is the key under which everything is, and what is there. A schema that wants nothing does not notice that it is.
func wrapper(value any) (key string, inside any) {
	fields, _ := value.(map[string]any)
	for name, inner := range fields {
		switch {
		case slices.Contains(companions, name):
		case key != "" || !slices.Contains(wrappers, name):
			return "", nil
		default:
			key, inside = name, inner
		}
	}
	return key, inside
}

// arguments mends all arguments. When they are valid as they are, they are only unwrapped, and only if all that is inside has the names of
// properties.
func (m *mender) arguments(value any, valid bool) any {
	key, inside := wrapper(value)
	if text, ok := inside.(string); ok {
		inside, _ = m.parsed(text, '{')
	}
	outer, _ := value.(map[string]any)
	fields, isObject := inside.(map[string]any)
	known := properties(m.Root)
	allKnown := countKnown(known, fields) == len(fields)
	if isObject && countKnown(known, outer) == 0 && (!valid || len(fields) > 0 && allKnown) {
		m.notes = append(m.notes, "taken out of "+quoted(key, 20))
		unwrapped := m.fit(m.Root, inside, "")
		if m.fits(m.Root, unwrapped) || allKnown {
			return unwrapped
		}
		m.notes = nil
	}
	if valid {
		return value
	}
	return m.fit(m.Root, value, "")
}

// countKnown is how many of the fields are properties.
func countKnown(known map[string]*jsonschema.Schema, fields map[string]any) int {
	n := 0
	for key := range fields {
		if known[key] != nil {
			n++
		}
	}
	return n
}
