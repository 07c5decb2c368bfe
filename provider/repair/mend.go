package repair

import (
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/aloudchat/aloud/jsonschema"
)

// mender changes a value, without loss, where it does not fit its schema and the schema says what it should be. Values are never changed
// in place, so that an attempt can be given up.
type mender struct {
	jsonschema.Check
	root  jsonschema.Schema
	notes []string
	depth int
}

// perStep is how much of the lists of a schema is looked through in one step of the check.
const perStep = 16

// wrappers are keys under which models put all arguments once more, and companions what may stand beside one and says nothing: the name of
// the tool, or words of a schema.
var (
	wrappers   = []string{"arguments", "parameters", "properties", "input", "args", "params", "kwargs"}
	companions = []string{"name", "type", "function", "tool", "required", "additionalProperties", "title", "$schema"}
)

// wrapper is the key under which everything is, and what is there. A schema that requires nothing accepts it as it is.
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

// arguments mends all arguments. If they are valid as they are, they are only unwrapped, and only if all that is inside has the names of
// properties.
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

// attempt is what a schema made of a value.
type attempt struct {
	value any
	notes []string
	made  bool
}

// choose makes v fit one of the schemas: that for which it takes the fewest changes. If it fits none, it becomes what the only schema makes
// of it that can make anything of it, so that the complaint is about that one.
func (m *mender) choose(schemas []jsonschema.Schema, v any, path string) any {
	var best, nearest attempt
	changes := 0
	for _, s := range schemas {
		before := len(m.notes)
		tried := attempt{value: m.fit(s, v, path), notes: slices.Clone(m.notes[before:]), made: true}
		m.notes = m.notes[:before]
		if m.Fits(s, tried.value) && (!best.made || len(tried.notes) < len(best.notes)) {
			best = tried
		}
		if len(tried.notes) > 0 {
			nearest = tried
			changes++
		}
	}
	if !best.made && changes == 1 {
		best = nearest
	}
	if !best.made {
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

// property is the name of the one property that a key can only mean: it differs in case and separators alone, is not given yet, and either
// is required or the key as it is would not be allowed.
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

// needless reports whether a member says that it is not given, with a null that may not be there or with words for it.
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

// retype writes a value as the type that the schema wants, when nothing is lost by it.
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

// oneAllowed is the one value of those allowed that v is but for its case, the white space around it, or its quotes.
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

// as writes v as a type.
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
		m.notes = m.notes[:before] // that it becomes a list tells it all
		return list, m.Fits(s, list)
	}
	return nil, false
}

// asNumber is the number that a text is. As an integer it loses its zeros behind the point.
func asNumber(text string, integer bool) (json.Number, bool) {
	text, ok := jsonNumber(text)
	if integer {
		if whole, zeros, _ := strings.Cut(text, "."); strings.Trim(zeros, "0") == "" {
			text = whole
		}
		ok = ok && !strings.ContainsAny(text, ".eE")
	}
	return json.Number(text), ok && jsonschema.Countable(text)
}

// parse is the JSON in a string.
func parse(text string, opening byte) (any, bool) {
	if text == "" || text[0] != opening {
		return nil, false
	}
	return jsonschema.Decode(mendJSON([]byte(text)))
}

// shown is a value in a few words.
func shown(v any) string {
	const runes = 40
	if text, ok := v.(string); ok {
		return jsonschema.Quoted(text, runes)
	}
	return jsonschema.Clip(string(jsonschema.Encode(v)), runes)
}

// told are the notes, as many as are worth reading.
func (m *mender) told() []string {
	const most = 20
	if len(m.notes) > most {
		return append(m.notes[:most:most], fmt.Sprintf("and %d more", len(m.notes)-most))
	}
	return m.notes
}
