package arguments

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/aloudchat/aloud/provider/loosejson"
	"github.com/aloudchat/aloud/schema"
)

// mender changes a value, without loss, where it does not fit its schema and the schema says what it should be. Values are never changed
// in place, so that an attempt can be given up.
type mender struct {
	*checked
	notes []string
	order keyOrder
	depth int
}

// fits reports whether a value is valid. When that is not known any more, it is taken for valid, which ends all mending.
func (m *mender) fits(s *jsonschema.Schema, v any) bool {
	err := m.Validate(s, v)
	return err == nil || !schema.Understood(err)
}

// fit makes v fit s as well as it can.
func (m *mender) fit(s *jsonschema.Schema, v any, path string) any {
	const deep = 3 * loosejson.Deepest
	if s == nil || s.Bool != nil || m.depth > deep || m.fits(s, v) {
		return v
	}
	m.depth++
	defer func() { m.depth-- }()
	v = m.retype(s, v, path)
	for _, sub := range schema.References(s) {
		v = m.fit(sub, v, path)
	}
	for _, sub := range s.AllOf {
		v = m.fit(sub, v, path)
	}
	switch inner := v.(type) {
	case map[string]any:
		v = m.object(s, inner, path)
	case []any:
		v = m.array(s, inner, path)
	}
	v = m.choose(s.AnyOf, v, path)
	v = m.choose(s.OneOf, v, path)
	if s.If != nil {
		branch := s.Else
		if m.fits(s.If, v) {
			branch = s.Then
		}
		v = m.fit(branch, v, path)
	}
	return v
}

// choose makes v fit one of the schemas: that for which it takes the fewest changes. When it fits none, it becomes what the only schema makes
// of it that can make anything of it, so that the complaint is about that one.
func (m *mender) choose(schemas []*jsonschema.Schema, v any, path string) any {
	var best, nearest attempt
	changes := 0
	for _, s := range schemas {
		before := len(m.notes)
		tried := attempt{value: m.fit(s, v, path), notes: slices.Clone(m.notes[before:]), made: true}
		m.notes = m.notes[:before]
		if m.fits(s, tried.value) && (!best.made || len(tried.notes) < len(best.notes)) {
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

// attempt is what a schema made of a value.
type attempt struct {
	value any
	notes []string
	made  bool
}

// array mends the elements.
func (m *mender) array(s *jsonschema.Schema, list []any, path string) any {
	fixed := list
	for i, element := range list {
		sub := elementSchema(s, i)
		if sub == nil {
			continue
		}
		before := len(m.notes)
		changed := m.fit(sub, element, path+"["+strconv.Itoa(i)+"]")
		if len(m.notes) == before {
			continue
		}
		if &fixed[0] == &list[0] {
			fixed = append([]any{}, list...)
		}
		fixed[i] = changed
	}
	return fixed
}

// elementSchema is the schema of the element at a place.
func elementSchema(s *jsonschema.Schema, i int) *jsonschema.Schema {
	if i < len(s.PrefixItems) {
		return s.PrefixItems[i]
	}
	if s.Items2020 != nil {
		return s.Items2020
	}
	switch items := s.Items.(type) {
	case *jsonschema.Schema:
		return items
	case []*jsonschema.Schema:
		if i < len(items) {
			return items[i]
		}
	}
	rest, _ := s.AdditionalItems.(*jsonschema.Schema)
	return rest
}

// note keeps what was changed.
func (m *mender) note(path string, from, to any) {
	if path == "" {
		path = "arguments"
	}
	m.notes = append(m.notes, fmt.Sprintf("%s: %s → %s", path, m.shown(from), m.shown(to)))
}

// shown is a value in a few words.
func (m *mender) shown(v any) string {
	const runes = 40
	if text, ok := v.(string); ok {
		return quoted(text, runes)
	}
	return clip(string(m.order.write(v)), runes)
}

// told are the notes, as many as somebody reads.
func (m *mender) told() []string {
	const most = 20
	if len(m.notes) > most {
		return append(m.notes[:most:most], fmt.Sprintf("and %d more", len(m.notes)-most))
	}
	return m.notes
}

// at is the path of a member.
func at(path, key string) string {
	const runes = 60
	if !plain(key) {
		key = quoted(key, runes)
	}
	if path == "" {
		return key
	}
	return path + "." + key
}

// plain reports whether a key needs no quotes.
func plain(key string) bool {
	const longest = 128
	return key != "" && len(key) <= longest && !strings.ContainsFunc(key, func(r rune) bool {
		return (r < 'a' || r > 'z') && (r < 'A' || r > 'Z') && (r < '0' || r > '9') && !strings.ContainsRune("_-./:", r)
	})
}
