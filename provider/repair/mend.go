package repair

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/aloudchat/aloud/internal/jsonschema"
	"github.com/aloudchat/aloud/internal/sanitize"
	"github.com/aloudchat/aloud/provider"
)

// mender makes a value fit its schema if no information is lost. It does not change values in place, so that an attempt
// can be dropped.
type mender struct {
	jsonschema.Check
	root  jsonschema.Schema
	tool  string
	notes []string
	depth int
}

// perStep is the number of list entries in a schema that cost one step of the check's budget.
const perStep = 16

// wrappers are keys that models put around all arguments, and schemaKeys are keys of a schema next to them.
var (
	wrappers   = []string{"arguments", "parameters", "properties", "input", "args", "params", "kwargs"}
	schemaKeys = []string{"required", "additionalProperties", "$schema"}
)

// wrapper returns the key around all arguments and its value, or "". Other keys next to it may only repeat the name of
// the tool or its schema, since they are dropped.
func (m *mender) wrapper(value any) (key string, inside any) {
	object, ok := value.(*jsonschema.Object)
	if !ok {
		return "", nil
	}
	for _, name := range object.Keys {
		switch v := object.Values[name]; {
		case slices.Contains(schemaKeys, name), name == "type" && (v == "object" || v == "function"):
		case (name == "name" || name == "function" || name == "tool") && v == m.tool:
		case key != "" || !slices.Contains(wrappers, name):
			return "", nil
		default:
			key, inside = name, v
		}
	}
	return key, inside
}

// arguments repairs all arguments. It only unwraps valid ones, if all keys inside are properties.
func (m *mender) arguments(value any, valid bool) any {
	key, inside := m.wrapper(value)
	if text, ok := inside.(string); ok {
		inside, _ = parse(text, '{')
	}
	if fields, ok := inside.(*jsonschema.Object); ok && m.known(value.(*jsonschema.Object)) == 0 {
		allKnown := m.known(fields) == len(fields.Keys)
		if !valid || len(fields.Keys) > 0 && allKnown {
			before := m.notes
			m.notes = append(m.notes, "unwrapped from "+jsonschema.Quoted(key, 20))
			unwrapped := m.fit(m.root, inside, "")
			if m.Fits(m.root, unwrapped) || allKnown {
				return unwrapped
			}
			m.notes = before
		}
	}
	if valid {
		return value
	}
	return m.fit(m.root, value, "")
}

// integers removes the points from integers such as 30.0 in place. Schemas allow them, but servers in typed languages
// refuse them.
func (m *mender) integers(value any) {
	fields, ok := value.(*jsonschema.Object)
	if !ok {
		return
	}
	for _, name := range fields.Keys {
		number, _ := fields.Values[name].(json.Number)
		whole, ok := asNumber(string(number), true)
		if !ok || whole == number {
			continue
		}
		types := typesOf(m.root.Property(name))
		if slices.Contains(types, "integer") && !slices.Contains(types, "number") {
			fields.Values[name] = m.changed(name, number, whole)
		}
	}
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

// fit makes v fit s as far as possible.
func (m *mender) fit(s jsonschema.Schema, v any, path string) any {
	if m.depth > 3*maxDepth || m.Fits(s, v) {
		return v
	}
	m.depth++
	defer func() { m.depth-- }()
	v = m.retype(s, v, path)
	for _, sub := range jsonschema.Implied(s) {
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

// choose makes v fit the schema that needs the fewest changes.
func (m *mender) choose(schemas []jsonschema.Schema, v any, path string) any {
	before := slices.Clip(m.notes)
	best, found := v, false
	for _, s := range schemas {
		notes := m.notes
		m.notes = before
		fitted := m.fit(s, v, path)
		if !m.Fits(s, fitted) || found && len(m.notes) >= len(notes) {
			m.notes = notes
			continue
		}
		best, found = fitted, true
	}
	return best
}

// array repairs the elements of a list.
func (m *mender) array(s jsonschema.Schema, list []any, path string) any {
	fixed := slices.Clone(list)
	for i, element := range list {
		if sub, ok := s.Element(i); ok {
			fixed[i] = m.fit(sub, element, path+"["+strconv.Itoa(i)+"]")
		}
	}
	return fixed
}

// object repairs the members of an object.
func (m *mender) object(s jsonschema.Schema, fields *jsonschema.Object, path string) any {
	fixed := jsonschema.NewObject()
	for _, key := range fields.Keys {
		value, name := fields.Values[key], m.property(s, fields, key)
		if _, taken := fixed.Values[name]; taken {
			name = key
		}
		if name != key {
			m.notes = append(m.notes, memberPath(path, key)+" → "+memberPath("", name))
		}
		sub := s.Property(name)
		if m.isAbsent(s, sub, name, value) {
			m.notes = append(m.notes, memberPath(path, name)+": "+shown(value)+" dropped")
			continue
		}
		fixed.Set(name, m.fit(sub, value, memberPath(path, name)))
	}
	return fixed
}

// property returns the only property that differs from key only in case and separators, if it is missing, and either it
// is required or key is not allowed. Otherwise property returns key.
func (m *mender) property(s jsonschema.Schema, fields *jsonschema.Object, key string) string {
	properties, _ := s.Value("properties").(*jsonschema.Object)
	_, isProperty := s.Member("properties", key)
	if isProperty || properties == nil || !m.Take((len(properties.Keys)+len(s.List("required")))/perStep) {
		return key
	}
	name := ""
	for _, p := range s.Members("properties") {
		if provider.Letters(p.Name) != provider.Letters(key) {
			continue
		}
		if name != "" {
			return key // ambiguous
		}
		name = p.Name
	}
	_, given := fields.Values[name]
	if name == "" || given || !closed(s) && !slices.Contains(s.Strings("required"), name) {
		return key
	}
	return name
}

// isAbsent reports whether the value of an optional member means that it is missing: an invalid null, "", "null" or
// Python's "None". The word "none" may be a value of its own, such as no limit.
func (m *mender) isAbsent(s, sub jsonschema.Schema, key string, value any) bool {
	text, isString := value.(string)
	text = strings.TrimSpace(text)
	noValue := value == nil || isString && (text == "" || strings.EqualFold(text, "null") || text == "None")
	_, isProperty := s.Member("properties", key)
	if !noValue || !isProperty || !m.Take(len(s.List("required"))/perStep) ||
		slices.Contains(s.Required(), key) || m.Fits(sub, value) {
		return false
	}
	types := typesOf(sub)
	isText := len(types) == 0 || slices.Contains(types, "string") || slices.Contains(types, "null")
	mayBeElement := text != "" && slices.Contains(types, "array")
	return value == nil || !isText && !mayBeElement
}

// retype converts a value to a type of the schema if no information is lost.
func (m *mender) retype(s jsonschema.Schema, v any, path string) any {
	if changed, ok := m.allowedValue(s, v); ok {
		return m.changed(path, v, changed)
	}
	types, is := s.Types(), jsonschema.TypeOf(v)
	if slices.Contains(types, is) || is == "integer" && slices.Contains(types, "number") {
		return v
	}
	var first any
	for _, want := range types {
		changed, ok := m.convert(want, s, v, path)
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
	m.notes = append(m.notes, fmt.Sprintf("%s: %s → %s", cmp.Or(path, "arguments"), shown(from), shown(to)))
	return to
}

// allowedValue returns the only allowed value that equals v except for case, surrounding white space, and quotes.
func (m *mender) allowedValue(s jsonschema.Schema, v any) (changed any, ok bool) {
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
			return nil, false // ambiguous, or allowed as it is
		}
		changed, ok = value, true
	}
	return changed, ok
}

// convert converts v to a type.
func (m *mender) convert(want string, s jsonschema.Schema, v any, path string) (any, bool) {
	text, isText := v.(string)
	text = strings.TrimSpace(text)
	switch want {
	case "null":
		return nil, isText && strings.EqualFold(text, "null")
	case "boolean":
		isTrue := strings.EqualFold(text, "true")
		return isTrue, isText && (isTrue || strings.EqualFold(text, "false"))
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
		if v == nil || strings.HasPrefix(text, "[") && strings.HasSuffix(text, "]") { // a list, but of unknown elements
			return nil, false
		}
		before := len(m.notes)
		list := m.array(s, []any{v}, path)
		m.notes = m.notes[:before] // the list has a note of its own
		return list, m.Fits(s, list)
	}
	return nil, false
}

// asNumber parses a number, which need not have digits on both sides of its point. An integer loses the zeros after its
// point. A plus is not accepted, since it may be part of a phone number.
func asNumber(text string, integer bool) (json.Number, bool) {
	if rest, negative := strings.CutPrefix(text, "-"); strings.HasPrefix(rest, ".") && len(rest) > 1 {
		text = "0" + rest
		if negative {
			text = "-" + text
		}
	}
	if whole, found := strings.CutSuffix(text, "."); found && !strings.ContainsAny(whole, ".eE") {
		text = whole
	}
	ok := isNumber(text)
	if integer {
		if whole, zeros, _ := strings.Cut(text, "."); strings.Trim(zeros, "0") == "" {
			text = whole
		}
		ok = ok && !strings.ContainsAny(text, ".eE")
	}
	number := json.Number(text)
	_, err := number.Float64() // it may be too large
	return number, ok && err == nil
}

// parse parses the JSON or Python value in a string.
func parse(text string, opening byte) (any, bool) {
	if text == "" || text[0] != opening {
		return nil, false
	}
	raw := mendJSON([]byte(text), true)
	if raw == nil || ambiguity(raw) != "" {
		return nil, false
	}
	return jsonschema.Decode(raw)
}

// shown returns a short form of a value.
func shown(v any) string {
	const most = 40 // bytes
	if text, ok := v.(string); ok {
		return jsonschema.Quoted(text, most)
	}
	return sanitize.Clip(string(jsonschema.Encode(v)), most)
}
