package repair

import (
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/aloudchat/aloud/jsonschema"
)

// mender makes a value fit its schema where nothing is lost by it. Values are not changed in place, so that an attempt
// can be dropped.
type mender struct {
	jsonschema.Check
	root  jsonschema.Schema
	notes []string
	depth int
}

// perStep is how many entries of a list in a schema one step of the check covers.
const perStep = 16

// wrappers are keys that models put around all arguments. companions are keys beside them that add nothing: the name of
// the tool, or words of a schema.
var (
	wrappers   = []string{"arguments", "parameters", "properties", "input", "args", "params", "kwargs"}
	companions = []string{"name", "type", "function", "tool", "required", "additionalProperties", "title", "$schema"}
)

// wrapper returns the key around all arguments and the value there, "" for none.
func wrapper(value any) (key string, inside any) {
	object, ok := value.(*jsonschema.Object)
	if !ok {
		return "", nil
	}
	for _, name := range object.Keys {
		switch {
		case slices.Contains(companions, name):
		case key != "" || !slices.Contains(wrappers, name):
			return "", nil
		default:
			key, inside = name, object.Values[name]
		}
	}
	return key, inside
}

// arguments mends all arguments. Valid ones are only unwrapped, and only if all keys inside are properties.
func (m *mender) arguments(value any, valid bool) any {
	key, inside := wrapper(value)
	if text, ok := inside.(string); ok {
		inside, _ = parse(text, '{')
	}
	if fields, ok := inside.(*jsonschema.Object); ok && m.known(value.(*jsonschema.Object)) == 0 {
		allKnown := m.known(fields) == len(fields.Keys)
		if !valid || len(fields.Keys) > 0 && allKnown {
			m.notes = append(m.notes, "taken out of "+jsonschema.Quoted(key, 20))
			unwrapped := m.fit(m.root, inside, "")
			if m.Fits(m.root, unwrapped) || allKnown {
				return unwrapped
			}
			m.notes = nil
		}
	}
	if valid {
		return value
	}
	return m.fit(m.root, value, "")
}

// known counts the members that are properties.
func (m *mender) known(fields *jsonschema.Object) int {
	n := 0
	for _, property := range m.root.Properties() {
		if _, given := fields.Values[property.Name]; given {
			n++
		}
	}
	return n
}

// fit makes v fit s as well as it can.
func (m *mender) fit(s jsonschema.Schema, v any, path string) any {
	const deep = 3 * deepestJSON
	if m.depth > deep || m.Fits(s, v) {
		return v
	}
	m.depth++
	defer func() { m.depth-- }()
	v = m.retype(s, v, path)
	for _, sub := range jsonschema.Certain(s) {
		v = m.fit(sub, v, path)
	}
	switch inner := v.(type) {
	case *jsonschema.Object:
		v = m.object(s, inner, path)
	case []any:
		v = m.array(s, inner, path)
	}
	v = m.choose(s.Subs("anyOf"), v, path)
	v = m.choose(s.Subs("oneOf"), v, path)
	return v
}

// attempt is a value made to fit one of several schemas.
type attempt struct {
	value any
	notes []string
}

// choose makes v fit the schema that takes the fewest changes.
func (m *mender) choose(schemas []jsonschema.Schema, v any, path string) any {
	var best *attempt
	for _, s := range schemas {
		before := len(m.notes)
		tried := attempt{m.fit(s, v, path), slices.Clone(m.notes[before:])}
		m.notes = m.notes[:before]
		if m.Fits(s, tried.value) && (best == nil || len(tried.notes) < len(best.notes)) {
			best = &tried
		}
	}
	if best == nil {
		return v
	}
	m.notes = append(m.notes, best.notes...)
	return best.value
}

// array mends the elements.
func (m *mender) array(s jsonschema.Schema, list []any, path string) any {
	fixed := slices.Clone(list)
	for i, element := range list {
		if sub, ok := s.Element(i); ok {
			fixed[i] = m.fit(sub, element, path+"["+strconv.Itoa(i)+"]")
		}
	}
	return fixed
}

// object mends the members of an object.
func (m *mender) object(s jsonschema.Schema, fields *jsonschema.Object, path string) any {
	fixed := jsonschema.NewObject()
	for _, key := range fields.Keys {
		value, name := fields.Values[key], m.property(s, fields, key)
		if _, taken := fixed.Values[name]; taken {
			name = key
		}
		if name != key {
			m.notes = append(m.notes, at(path, key)+" → "+at("", name))
		}
		sub := s.Property(name)
		if m.needless(s, sub, name, value) {
			m.notes = append(m.notes, at(path, name)+": "+shown(value)+" dropped")
			continue
		}
		fixed.Set(name, m.fit(sub, value, at(path, name)))
	}
	return fixed
}

// property returns the property that a key must mean: the only one that differs just in case and separators. It is not
// given yet, and is required, or the key itself would not be allowed.
func (m *mender) property(s jsonschema.Schema, fields *jsonschema.Object, key string) string {
	properties, _ := s.Value("properties").(*jsonschema.Object)
	if _, is := s.Member("properties", key); is || properties == nil || !m.Take((len(properties.Keys)+len(s.List("required")))/perStep) {
		return key
	}
	name := ""
	for _, p := range s.Members("properties") {
		if bareName(p.Name) != bareName(key) {
			continue
		}
		if name != "" {
			return key // it may be either
		}
		name = p.Name
	}
	if _, given := fields.Values[name]; name == "" || given || !closed(s) && !slices.Contains(s.Strings("required"), name) {
		return key
	}
	return name
}

// bareName is a name without its case and separators.
func bareName(name string) string {
	return strings.ToLower(strings.NewReplacer("_", "", "-", "", " ", "", ".", "").Replace(name))
}

// needless reports whether an optional member only says that it is not given: null where that is not allowed, or words
// for it.
func (m *mender) needless(s, sub jsonschema.Schema, key string, value any) bool {
	text, isText := value.(string)
	text = strings.ToLower(strings.TrimSpace(text))
	inWords := isText && (text == "" || text == "null" || text == "none")
	if _, is := s.Member("properties", key); value != nil && !inWords || !is || !m.Take(len(s.List("required"))/perStep) || slices.Contains(s.Strings("required"), key) || m.Fits(sub, value) {
		return false
	}
	switch types := typesOf(sub); {
	case value == nil:
		return true
	case len(types) == 0 || slices.Contains(types, "string") || slices.Contains(types, "null"):
		return false
	default:
		return text == "" || !slices.Contains(types, "array") // else it may be the one element
	}
}

// retype converts a value to the type that the schema wants, if nothing is lost by it.
func (m *mender) retype(s jsonschema.Schema, v any, path string) any {
	if changed, ok := m.oneAllowed(s, v); ok {
		return m.changed(path, v, changed)
	}
	types := s.Types()
	if slices.Contains(types, jsonschema.TypeOf(v)) || slices.Contains(types, "number") && jsonschema.TypeOf(v) == "integer" {
		return v
	}
	var first any
	for _, want := range types {
		changed, ok := m.as(want, s, v, path)
		if ok && m.Fits(s, changed) {
			return m.changed(path, v, changed)
		}
		if ok && first == nil {
			first = changed
		}
	}
	if first == nil {
		return v
	}
	return m.changed(path, v, first)
}

// changed notes a change.
func (m *mender) changed(path string, from, to any) any {
	if path == "" {
		path = "arguments"
	}
	m.notes = append(m.notes, fmt.Sprintf("%s: %s → %s", path, shown(from), shown(to)))
	return to
}

// oneAllowed returns the only allowed value that equals v apart from case, white space around it, or quotes.
func (m *mender) oneAllowed(s jsonschema.Schema, v any) (changed any, ok bool) {
	text, isScalar := jsonschema.Scalar(v)
	if !isScalar || text == "" {
		return nil, false
	}
	values, _ := s.Values()
	if len(values) > jsonschema.MostValues || !m.Take(len(values)/perStep) {
		return nil, false
	}
	for _, value := range values {
		other, isScalar := jsonschema.Scalar(value)
		if !isScalar || !strings.EqualFold(strings.TrimSpace(text), other) {
			continue
		}
		if ok || value == v {
			return nil, false // it may be either
		}
		changed, ok = value, true
	}
	return changed, ok
}

// as converts v to a type.
func (m *mender) as(want string, s jsonschema.Schema, v any, path string) (any, bool) {
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
		return jsonschema.Scalar(v)
	case "object":
		return parse(text, '{')
	case "array":
		if list, ok := parse(text, '['); ok {
			return list, true
		}
		if v == nil {
			return nil, false
		}
		before := len(m.notes)
		list := m.array(s, []any{v}, path)
		m.notes = m.notes[:before] // one note about the list is enough
		return list, m.Fits(s, list)
	}
	return nil, false
}

// asNumber reads a number. An integer loses the zeros after its point.
func asNumber(text string, integer bool) (json.Number, bool) {
	text, ok := jsonNumber(text)
	if integer {
		if whole, zeros, _ := strings.Cut(text, "."); strings.Trim(zeros, "0") == "" {
			text = whole
		}
		ok = ok && !strings.ContainsAny(text, ".eE")
	}
	number := json.Number(text)
	_, err := number.Float64() // too large a number would be refused
	return number, ok && err == nil
}

// parse reads the JSON in a string.
func parse(text string, opening byte) (any, bool) {
	if text == "" || text[0] != opening {
		return nil, false
	}
	return jsonschema.Decode(mendJSON([]byte(text)))
}

// shown is a value, short.
func shown(v any) string {
	const runes = 40
	if text, ok := v.(string); ok {
		return jsonschema.Quoted(text, runes)
	}
	return jsonschema.Clip(string(jsonschema.Encode(v)), runes)
}

// told returns the first notes, and how many more there are.
func (m *mender) told() []string {
	const most = 20
	if len(m.notes) > most {
		return append(m.notes[:most:most], fmt.Sprintf("and %d more", len(m.notes)-most))
	}
	return m.notes
}
