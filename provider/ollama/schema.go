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
	maxForms = 100       // of one value
	maxNeeds = 5000      // names of properties that are required
	maxName  = 500       // bytes of a property's name
	maxBytes = 256 << 10 // of a schema that is read, and of the descriptions and values that come of it
)

// convert turns the JSON Schema of a tool's arguments into the part of JSON Schema that Ollama's server reads. The
// server refuses the whole request for a value of a type it does not expect and forgets keywords it does not know, so
// references are resolved, alternatives are brought into the one form it has, and the constraints it would forget are
// said in the descriptions. note is what belongs to no single property; it goes into the tool's description. Any
// input gives a result, and the same input the same result.
func convert(schema json.RawMessage) (parameters api.ToolFunctionParameters, note string) {
	parameters = api.ToolFunctionParameters{Type: "object", Properties: api.NewToolPropertiesMap()}
	s, ok := jsonschema.Parse(schema)
	if !ok || len(schema) > maxBytes {
		return parameters, ""
	}
	c := converter{left: maxBytes, needs: maxNeeds}
	f := c.read(s, nil, true)
	parameters.Required = f.required
	for _, p := range f.properties {
		parameters.Properties.Set(p.name, p.convert())
	}
	for i, words := range f.words {
		first, size := utf8.DecodeRuneInString(words)
		f.words[i] = string(unicode.ToUpper(first)) + words[size:] + "."
	}
	return parameters, strings.Join(f.words, "\n")
}

// converter converts one schema.
type converter struct {
	nodes int // read so far
	left  int // bytes of descriptions and values that may come of it
	needs int // names of required properties that may
}

// path leads to a part of a schema: the references that were followed, and "" for every other step.
type path []string

func (p path) with(step string) path { return append(p[:len(p):len(p)], step) }

// form is what a schema says of a value.
type form struct {
	types              []string
	shape              string // the type that the keywords suggest
	values             []any  // nil for any
	title, description string
	properties         []property
	required           []string
	items              *form
	anyOf              []api.ToolProperty
	words              []string // what Ollama's form has no place for
	impossible         bool     // nothing fits
}

type property struct {
	name string
	form
}

// read reads a schema. top is set for the arguments as a whole, which have no description.
func (c *converter) read(s jsonschema.Schema, p path, top bool) form {
	f := form{impossible: s.IsFalse()}
	if c.nodes++; s.Keywords() == nil || c.nodes > maxNodes || len(p) > maxDepth {
		return f
	}
	f.types, f.title, f.description = s.Types(), s.Text("title"), c.spend(s.Text("description"))
	values, _ := s.Values()
	for _, value := range values {
		if c.left -= len(jsonschema.Encode(value)); c.left < 0 {
			f.values = nil
			break
		}
		f.values = append(f.values, value)
	}
	if !top {
		for _, words := range append(c.constraints(s), c.otherKeys(s, p)...) {
			if words = c.spend(words); words != "" {
				f.words = append(f.words, words)
			}
		}
	}
	c.readParts(&f, s, p)
	if ref := s.Text("$ref"); slices.Contains(p, ref) && ref != "" {
		f.again(ref)
	} else if target, ok := s.Ref(); ok {
		f.add(c.read(target, p.with(ref), top))
	}
	for _, part := range s.Subs("allOf") {
		f.add(c.read(part, p.with(""), top))
	}
	alternatives := append(s.Subs("anyOf"), s.Subs("oneOf")...)
	f.choose(c.readAll(alternatives, p), top)
	return f
}

// readParts reads the properties of an object and the elements of an array.
func (c *converter) readParts(f *form, s jsonschema.Schema, p path) {
	f.required = c.required(s)
	if all, _ := s.Value("properties").(*jsonschema.Object); all != nil {
		f.shape = "object"
		for _, name := range all.Keys {
			if len(name) > maxName {
				continue
			}
			sub, _ := s.Member("properties", name) // what is no schema may be anything
			if one := c.read(sub, p.with(""), false); !one.impossible {
				f.properties = append(f.properties, property{name, one})
			} else {
				f.required = slices.DeleteFunc(f.required, func(r string) bool { return r == name })
			}
		}
	}
	places := append(s.Subs("prefixItems"), s.Subs("items")...)
	if item, ok := s.Sub("items"); ok && len(places) == 0 {
		places = []jsonschema.Schema{item}
	}
	if len(places) > 0 {
		f.shape, f.items = "array", &form{}
		f.items.choose(c.readAll(places, p), false)
	}
	if f.shape == "" && s.Has("additionalProperties") {
		f.shape = "object"
	}
}

// required are the names of the properties that an object must have.
func (c *converter) required(s jsonschema.Schema) []string {
	if c.needs <= 0 {
		return nil
	}
	names := slices.DeleteFunc(s.Strings("required"), func(name string) bool { return len(name) > maxName })
	names = names[:min(len(names), c.needs)]
	c.needs -= len(names)
	return names
}

func (c *converter) readAll(list []jsonschema.Schema, p path) (forms []form) {
	for _, s := range list[:min(len(list), maxForms)] {
		if f := c.read(s, p.with(""), false); !f.impossible {
			forms = append(forms, f)
		}
	}
	return forms
}

// spend takes a text from what is left; one for which there is no room is "".
func (c *converter) spend(text string) string {
	if c.left -= len(text); c.left < 0 {
		return ""
	}
	return text
}

// otherKeys says which keys an object may have besides its properties.
func (c *converter) otherKeys(s jsonschema.Schema, p path) []string {
	rest, ok := s.Sub("additionalProperties")
	if ok && rest.IsFalse() && s.Has("properties") {
		return []string{"no other keys"}
	}
	if !ok || rest.Keywords() == nil {
		return nil
	}
	f := c.read(rest, p.with(""), false)
	value := f.convert()
	if isPlain(value) && len(value.Type) == 1 {
		return []string{"any keys, each with a value of type " + value.Type[0]}
	}
	if encoded := encode(value); encoded != "{}" {
		return []string{"any keys, each with a value like " + sanitize.Clip(encoded, 200)}
	}
	return nil
}

// again is for a reference to a form that f is inside of.
func (f *form) again(ref string) {
	name := sanitize.Clip(strings.Trim(ref[strings.LastIndex(ref, "/")+1:], "#"), 60)
	if name == "" {
		name = "the whole"
	}
	f.shape = "object"
	f.description = strings.TrimSpace(f.description + " (the same form as " + name + " again)")
}

// add takes in what holds as well. What f says itself wins.
func (f *form) add(g form) {
	if len(f.types) == 0 {
		f.types = g.types
	}
	if f.shape == "" {
		f.shape = g.shape
	}
	if f.values == nil {
		f.values = g.values
	}
	if f.description == "" {
		f.description = g.description
	}
	if f.items == nil {
		f.items = g.items
	}
	if f.anyOf == nil {
		f.anyOf = g.anyOf
	}
	f.addProperties(g, func(mine *form, theirs form) { mine.add(theirs) })
	f.required = union(f.required, g.required)
	isDefault := func(words string) bool { return strings.HasPrefix(words, "default ") }
	if slices.ContainsFunc(f.words, isDefault) {
		g.words = slices.DeleteFunc(slices.Clone(g.words), isDefault)
	}
	f.words = union(f.words, g.words)
}

// addProperties adds the properties of g. join is called for one that both have.
func (f *form) addProperties(g form, join func(mine *form, theirs form)) {
	f.properties = slices.Clone(f.properties)
	places := map[string]int{}
	for i, p := range f.properties {
		places[p.name] = i
	}
	for _, p := range g.properties {
		if i, both := places[p.name]; both {
			join(&f.properties[i].form, p.form)
		} else {
			f.properties = append(f.properties, p)
		}
	}
}

func union(a, b []string) []string {
	a = slices.Clip(a)
	for _, text := range b {
		if !slices.Contains(a, text) {
			a = append(a, text)
		}
	}
	return a
}

// choose takes in alternatives in the simplest form that says the same: a list of values, a list of types, the only
// one, or the alternatives themselves. Those of an object are taken into the object, with words for what is lost by
// that.
func (f *form) choose(list []form, top bool) {
	if len(list) == 0 {
		return
	}
	if !slices.ContainsFunc(list, func(one form) bool { return one.values == nil }) {
		f.chooseValue(list)
		return
	}
	if top || len(f.properties) > 0 {
		f.flatten(list)
		return
	}
	var seen, types []string
	plain := 0
	var branches []api.ToolProperty
	for _, one := range list {
		branch := one.convert()
		if encoded := encode(branch); !slices.Contains(seen, encoded) {
			seen, branches = append(seen, encoded), append(branches, branch)
			if isPlain(branch) {
				plain, types = plain+1, union(types, branch.Type)
			}
		}
	}
	switch len(branches) {
	case 1:
		f.add(list[0])
	case plain:
		f.types = types
	default:
		f.anyOf = branches
	}
}

// chooseValue takes in alternatives that are each one value, {"const": "a", "title": "Apple"}, as a list of values
// with their meanings.
func (f *form) chooseValue(list []form) {
	f.values = nil
	for _, one := range list {
		f.values = append(f.values, one.values...)
		meaning := one.description
		if meaning == "" {
			meaning = one.title
		}
		if meaning != "" && len(one.values) == 1 {
			f.words = append(f.words, fmt.Sprintf("%s: %s", jsonschema.Encode(one.values[0]), sanitize.Clip(meaning, 80)))
		}
	}
}

// flatten takes the alternatives of an object into the object itself: the properties of all, required what every one
// requires.
func (f *form) flatten(list []form) {
	common := list[0].required
	var needs []string
	for _, one := range list {
		common = slices.DeleteFunc(slices.Clone(common), func(name string) bool { return !slices.Contains(one.required, name) })
		if len(one.required) > 0 {
			needs = append(needs, strings.Join(one.required, " and "))
		}
		f.addProperties(one, func(mine *form, theirs form) {
			if encode(mine.convert()) != encode(theirs.convert()) {
				both := []form{*mine, theirs}
				*mine = form{}
				mine.choose(both, false)
			}
		})
	}
	f.required = union(f.required, common)
	if needs = slices.Compact(needs); len(needs) > 1 {
		f.words = append(f.words, "give either "+strings.Join(needs, ", or "))
	}
}

// convert writes a form as Ollama has it.
func (f *form) convert() (out api.ToolProperty) {
	out.AnyOf = f.anyOf
	for _, value := range f.values {
		out.Enum = append(out.Enum, jsonschema.Encode(value))
	}
	switch {
	case len(f.types) > 0:
		out.Type = f.types
	case f.shape != "":
		out.Type = api.PropertyType{f.shape}
	default:
		for _, value := range f.values {
			out.Type = union(out.Type, []string{jsonschema.TypeOf(value)})
		}
	}
	words := f.words
	if len(f.properties) > 0 {
		out.Properties, out.Required = api.NewToolPropertiesMap(), f.required
		for _, p := range f.properties {
			out.Properties.Set(p.name, p.convert())
		}
		if len(f.required) > 0 { // servers before 0.24 forget the list
			words = append(slices.Clip(words), "needs "+strings.Join(f.required, ", "))
		}
	}
	if f.items != nil {
		out.Items = f.items.convert()
	}
	out.Description = f.description
	if len(words) > 0 {
		out.Description = strings.TrimSpace(out.Description + " (" + strings.Join(words, ", ") + ")")
	}
	return out
}

// isPlain reports whether a property says nothing but its types.
func isPlain(p api.ToolProperty) bool {
	return len(p.Type) > 0 && p.Description == "" && p.Enum == nil && p.Items == nil && p.Properties == nil && p.AnyOf == nil
}

func encode(p api.ToolProperty) string {
	encoded, _ := json.Marshal(p) // what is made here can be written
	return string(encoded)
}

// constraints says in words what Ollama's form of a schema has no place for: `default 10`, `at least 1`.
func (c *converter) constraints(s jsonschema.Schema) []string {
	var words []string
	say := func(format string, args ...any) { words = append(words, fmt.Sprintf(format, args...)) }
	if s.Has("default") {
		say("default %s", c.compact(s.Value("default")))
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
	if s.Value("uniqueItems") == true {
		say("no item twice")
	}
	if examples := s.List("examples"); len(examples) > 0 {
		say("for example %s", c.compact(examples[0]))
	}
	return words
}

// compact writes a value of a schema on one short line.
func (c *converter) compact(value any) string {
	if text, ok := value.(string); ok && text != "" && !strings.ContainsAny(text, "\n,()") {
		return sanitize.Clip(text, 60)
	}
	if c.left < 0 {
		return ""
	}
	encoded := string(jsonschema.Encode(value))
	c.left -= len(encoded)
	return sanitize.Clip(encoded, 60)
}
