package ollama

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/ollama/ollama/api"

	"github.com/aloudchat/aloud/jsonschema"
	"github.com/aloudchat/aloud/sanitize"
)

// Bounds on what one tool's schema may unfold to. References can make a short schema endless.
const (
	maxDepth = 12
	maxNodes = 1500
	maxRefs  = 5000
	maxForms = 100       // of one object, each of which is joined with those before it
	maxBytes = 256 << 10 // of a schema that is read, and of the descriptions and values that come of it
)

// convert turns the JSON Schema of a tool's arguments into the part of JSON Schema that Ollama's server reads. The server refuses the
// whole request for a value of a type it does not expect and forgets keywords it does not know, so references are resolved, alternatives
// are brought into the one form it has, and the constraints it would forget are said in the descriptions. note is what belongs to no single
// property; it goes into the tool's description. Any input gives a result, and the same input the same result.
func convert(schema json.RawMessage) (parameters api.ToolFunctionParameters, note string) {
	parameters = api.ToolFunctionParameters{Type: "object", Properties: api.NewToolPropertiesMap()}
	s, ok := jsonschema.Parse(schema)
	if !ok || len(schema) > maxBytes {
		return parameters, ""
	}
	c := converter{left: maxBytes}
	s, p := c.merge(s, nil)
	s, notes := c.flatten(s, p)
	parameters.Required = c.properties(s, parameters.Properties, p)
	for i, words := range notes {
		first, size := utf8.DecodeRuneInString(words)
		notes[i] = string(unicode.ToUpper(first)) + words[size:] + "."
	}
	return parameters, strings.Join(notes, "\n")
}

// converter converts one schema.
type converter struct {
	nodes int // converted so far
	refs  int // followed so far
	left  int // bytes of descriptions and values that may come of it
}

// path is the references that led to a part: a reference that is already on it is a circle.
type path []string

func (p path) with(ref string) path { return append(p[:len(p):len(p)], ref) }

func (c *converter) exhausted(p path) bool { return c.nodes > maxNodes || len(p) > maxDepth }

// property converts one schema inside the arguments. ok is false for the schema false, which nothing fits.
func (c *converter) property(s jsonschema.Schema, p path) (out api.ToolProperty, ok bool) {
	c.nodes++
	p = p.with("")
	if s.Keywords() == nil || c.exhausted(p) {
		return out, !s.IsFalse()
	}
	s, p = c.merge(s, p)
	var words []string
	s, out.AnyOf, words = c.alternatives(s, p)
	out.Type, out.Enum = types(s), c.enum(s)
	words = append(words, constraints(s)...)
	if s.Has("properties") {
		out.Properties = api.NewToolPropertiesMap()
		out.Required = c.properties(s, out.Properties, p)
		if len(out.Required) > 0 { // servers before 0.24 forget the list
			words = append(words, "needs "+strings.Join(out.Required, ", "))
		}
	}
	out.Items = c.items(s, p)
	words = append(words, c.otherKeys(s, p)...)
	out.Description = s.Text("description")
	if len(words) > 0 {
		out.Description = strings.TrimSpace(out.Description + " (" + strings.Join(words, ", ") + ")")
	}
	if c.left -= len(out.Description); c.left < 0 {
		out.Description = ""
	}
	return out, true
}

// properties converts the properties of s into out and returns which of them are required.
func (c *converter) properties(s jsonschema.Schema, out *api.ToolPropertiesMap, p path) (required []string) {
	required = s.Strings("required")
	all, _ := s.Value("properties").(*jsonschema.Object)
	if all == nil {
		return required
	}
	for _, name := range all.Keys {
		sub, _ := s.Member("properties", name) // what is no schema may be anything
		if property, ok := c.property(sub, p); ok {
			out.Set(name, property)
		} else {
			required = slices.DeleteFunc(required, func(r string) bool { return r == name })
		}
	}
	return required
}

// items converts what an array holds; of a list with a schema for each place it becomes the alternatives.
func (c *converter) items(s jsonschema.Schema, p path) any {
	places := append(s.Subs("prefixItems"), s.Subs("items")...)
	if item, ok := s.Sub("items"); ok && len(places) == 0 {
		places = []jsonschema.Schema{item}
	}
	switch branches := c.branches(places, p); len(branches) {
	case 0:
		return nil
	case 1:
		return branches[0]
	default:
		return api.ToolProperty{AnyOf: branches}
	}
}

// otherKeys says which keys an object may have besides its properties.
func (c *converter) otherKeys(s jsonschema.Schema, p path) (words []string) {
	rest, ok := s.Sub("additionalProperties")
	if ok && rest.IsFalse() && s.Has("properties") {
		return []string{"no other keys"}
	}
	if !ok || rest.Keywords() == nil {
		return nil
	}
	value, _ := c.property(rest, p)
	encoded, err := json.Marshal(value)
	switch {
	case err != nil || string(encoded) == "{}":
		return nil
	case isPlain(value):
		return []string{"any keys, each with a value of type " + value.Type[0]}
	}
	return []string{"any keys, each with a value like " + sanitize.Clip(string(encoded), 200)}
}

// isPlain reports whether a property says nothing but one type.
func isPlain(p api.ToolProperty) bool {
	return len(p.Type) == 1 && p.Description == "" && p.Enum == nil && p.Items == nil && p.Properties == nil && p.AnyOf == nil
}

// branches converts a list of schemas, without what nothing fits and without repetition.
func (c *converter) branches(list []jsonschema.Schema, p path) []api.ToolProperty {
	var out []api.ToolProperty
	var seen []string
	for _, s := range list {
		branch, ok := c.property(s, p)
		encoded, err := json.Marshal(branch)
		if !ok || err != nil || slices.Contains(seen, string(encoded)) {
			continue
		}
		seen = append(seen, string(encoded))
		out = append(out, branch)
	}
	return out
}

// types are the JSON types that s allows, told or inferred.
func types(s jsonschema.Schema) api.PropertyType {
	if names := s.Types(); len(names) > 0 {
		return names
	}
	switch {
	case s.Has("properties"), s.Has("additionalProperties"):
		return api.PropertyType{"object"}
	case s.Has("items"), s.Has("prefixItems"):
		return api.PropertyType{"array"}
	}
	var inferred api.PropertyType
	values, _ := s.Values()
	for _, value := range values {
		if name := jsonschema.TypeOf(value); !slices.Contains(inferred, name) {
			inferred = append(inferred, name)
		}
	}
	return inferred
}

// enum are the values that s allows, or nil for any.
func (c *converter) enum(s jsonschema.Schema) []any {
	values, _ := s.Values()
	var out []any
	for _, value := range values {
		encoded := jsonschema.Encode(value)
		if c.left -= len(encoded); c.left < 0 {
			return nil
		}
		out = append(out, encoded)
	}
	return out
}

// merge resolves the reference of s and takes in the schemas that hold as well ("allOf"). What s says itself wins.
// The path that comes back has the references that were followed.
func (c *converter) merge(s jsonschema.Schema, p path) (jsonschema.Schema, path) {
	for ref := s.Reference(); ref != ""; ref = s.Reference() {
		target, ok := s.Ref()
		s = without(s, "$ref", "$dynamicRef", "$recursiveRef")
		if slices.Contains(p, ref) {
			return again(s, ref), p
		}
		if c.refs++; c.refs > maxRefs {
			return s, p
		}
		p = p.with(ref)
		if ok {
			s = combine(s, target)
		}
	}
	followed := p
	all := s.Subs("allOf")
	s = without(s, "allOf")
	for _, part := range all {
		if c.nodes++; c.exhausted(p) {
			break
		}
		part, deeper := c.merge(part, p.with(""))
		s = combine(s, part)
		followed = append(followed[:len(followed):len(followed)], deeper[len(p):]...)
	}
	return s, followed
}

// without is a copy of s that lacks some keywords.
func without(s jsonschema.Schema, keywords ...string) jsonschema.Schema {
	out := jsonschema.NewObject()
	if object := s.Keywords(); object != nil {
		for _, key := range object.Keys {
			if !slices.Contains(keywords, key) {
				out.Set(key, object.Values[key])
			}
		}
	}
	return s.With(out)
}

// with is a copy of s in which a keyword has another value.
func with(s jsonschema.Schema, keyword string, value any) jsonschema.Schema {
	out := without(s)
	out.Keywords().Set(keyword, value)
	return out
}

// again stands for a form that contains itself.
func again(s jsonschema.Schema, ref string) jsonschema.Schema {
	name := strings.Trim(ref[strings.LastIndex(ref, "/")+1:], "#")
	if name == "" {
		name = "the whole"
	}
	if !s.Has("type") {
		s = with(s, "type", "object")
	}
	return with(s, "description", strings.TrimSpace(s.Text("description")+" (the same form as "+name+" again)"))
}

// combine adds to s what part says and s does not. Required ones of both count, and a property that both have is as both say.
func combine(s, part jsonschema.Schema) jsonschema.Schema {
	object := part.Keywords()
	if object == nil {
		return s
	}
	s = without(s)
	for _, key := range object.Keys {
		switch {
		case !s.Has(key):
			s.Keywords().Set(key, object.Values[key])
		case key == "properties":
			s.Keywords().Set(key, unite("allOf", s.Value(key), object.Values[key]))
		case key == "required":
			s.Keywords().Set(key, append(slices.Clone(s.List(key)), part.List(key)...))
		}
	}
	return s
}

// unite joins two sets of properties. One that both have, differently, is both: as either says for "anyOf", as they say together for "allOf".
func unite(keyword string, all, more any) *jsonschema.Object {
	out := jsonschema.NewObject()
	for _, set := range []any{all, more} {
		object, _ := set.(*jsonschema.Object)
		if object == nil {
			continue
		}
		for _, name := range object.Keys {
			value, known := out.Values[name]
			switch {
			case !known:
				out.Set(name, object.Values[name])
			case string(jsonschema.Encode(value)) != string(jsonschema.Encode(object.Values[name])):
				joined, list := jsonschema.NewObject(), []any{value}
				if before, _ := value.(*jsonschema.Object); before != nil && slices.Equal(before.Keys, []string{keyword}) {
					list, _ = before.Values[keyword].([]any)
				}
				joined.Set(keyword, append(slices.Clone(list), object.Values[name]))
				out.Set(name, joined)
			}
		}
	}
	return out
}

// alternatives brings "oneOf" and "anyOf" into the simplest form that says the same: a list of values, a list of types, s itself when only
// one is left, or the branches. words are what else has to be said of them.
func (c *converter) alternatives(s jsonschema.Schema, p path) (simpler jsonschema.Schema, branches []api.ToolProperty, words []string) {
	list := append(s.Subs("anyOf"), s.Subs("oneOf")...)
	if len(list) == 0 {
		return s, nil, nil
	}
	if values, meanings, ok := c.values(list, p); ok {
		return with(s, "enum", values), nil, meanings
	}
	if s.Has("properties") {
		flat, notes := c.flatten(s, p)
		return flat, nil, notes
	}
	branches = c.branches(list, p)
	if len(branches) == 1 { // the others say nothing, or the same
		s = without(s, "anyOf", "oneOf")
		branch, p := c.merge(list[slices.IndexFunc(list, func(one jsonschema.Schema) bool { return !one.IsFalse() })], p.with(""))
		if c.nodes++; c.exhausted(p) {
			return s, nil, nil
		}
		return c.alternatives(combine(s, branch), p)
	}
	var names []any
	for _, b := range branches {
		if isPlain(b) {
			names = append(names, b.Type[0])
		}
	}
	if len(names) == len(branches) {
		return with(s, "type", names), nil, nil
	}
	return s, branches, nil
}

// values reads alternatives that are each one value, {"const": "a", "title": "Apple"}, as a list of values with their meanings.
func (c *converter) values(list []jsonschema.Schema, p path) (all []any, meanings []string, ok bool) {
	for _, branch := range list {
		branch, _ = c.merge(branch, p)
		values, listed := branch.Values()
		if !listed {
			return nil, nil, false
		}
		all = append(all, values...)
		meaning := branch.Text("description")
		if meaning == "" {
			meaning = branch.Text("title")
		}
		if meaning != "" && len(values) == 1 {
			meanings = append(meanings, fmt.Sprintf("%s: %s", jsonschema.Encode(values[0]), sanitize.Clip(meaning, 80)))
		}
	}
	return all, meanings, true
}

// flatten takes the alternatives of an object into the object itself: the properties of all, required what every one requires, and a note
// for what is lost by that.
func (c *converter) flatten(s jsonschema.Schema, p path) (jsonschema.Schema, []string) {
	list := append(s.Subs("anyOf"), s.Subs("oneOf")...)
	list = list[:min(len(list), maxForms)]
	s = without(s, "anyOf", "oneOf")
	var needs []string
	var common []string
	for i, branch := range list {
		if c.nodes++; branch.Keywords() == nil || c.exhausted(p) {
			continue
		}
		branch, _ = c.merge(branch, p)
		required := branch.Strings("required")
		if i == 0 {
			common = required
		}
		common = slices.DeleteFunc(slices.Clone(common), func(name string) bool { return !slices.Contains(required, name) })
		if len(required) > 0 {
			needs = append(needs, strings.Join(required, " and "))
		}
		if properties := unite("anyOf", s.Value("properties"), branch.Value("properties")); len(properties.Keys) > 0 {
			s = with(s, "properties", properties)
		}
		s = combine(s, without(branch, "required", "properties"))
	}
	if len(common) > 0 {
		both := slices.Clone(s.List("required"))
		for _, name := range common {
			both = append(both, name)
		}
		s = with(s, "required", both)
	}
	if needs = slices.Compact(needs); len(needs) > 1 {
		return s, []string{"give either " + strings.Join(needs, ", or ")}
	}
	return s, nil
}

// constraints says in words what Ollama's form of a schema has no place for: `default 10`, `at least 1`.
func constraints(s jsonschema.Schema) []string {
	var words []string
	say := func(format string, args ...any) { words = append(words, fmt.Sprintf(format, args...)) }
	if s.Has("default") {
		say("default %s", compact(s.Value("default")))
	}
	if format := s.Text("format"); format != "" {
		say("format %s", sanitize.Clip(format, 40))
	}
	if pattern := s.Text("pattern"); pattern != "" {
		say("matching %s", sanitize.Clip(pattern, 80))
	}
	for _, bound := range []struct{ keyword, words string }{
		{"minimum", "at least"}, {"exclusiveMinimum", "more than"}, {"maximum", "at most"}, {"exclusiveMaximum", "less than"},
		{"multipleOf", "a multiple of"},
	} {
		if n := s.Number(bound.keyword); n != "" {
			say("%s %s", bound.words, n)
		}
	}
	for _, count := range []struct{ keyword, words, unit string }{
		{"minLength", "at least", "character"}, {"maxLength", "at most", "character"},
		{"minItems", "at least", "item"}, {"maxItems", "at most", "item"},
	} {
		if n := s.Number(count.keyword); n != "" && n != "0" {
			say("%s %s %s", count.words, n, jsonschema.Plural(n, count.unit))
		}
	}
	if s.True("uniqueItems") {
		say("no item twice")
	}
	if examples := s.List("examples"); len(examples) > 0 {
		say("for example %s", compact(examples[0]))
	}
	return words
}

// compact writes a value of a schema on one short line.
func compact(value any) string {
	if text, ok := value.(string); ok && text != "" && !strings.ContainsAny(text, "\n,()") {
		return sanitize.Clip(text, 60)
	}
	return sanitize.Clip(string(jsonschema.Encode(value)), 60)
}
