package arguments

import (
	"maps"
	"slices"
	"strings"

	"github.com/santhosh-tekuri/jsonschema/v6"
)

// object mends the members of an object.
func (m *mender) object(s *jsonschema.Schema, fields map[string]any, path string) any {
	before := len(m.notes)
	fixed := m.rename(s, fields, path)
	own := len(m.notes) > before // the object is a copy already
	for _, key := range m.order.sorted(fixed) {
		sub := m.memberSchema(s, key)
		if sub == nil {
			continue
		}
		before := len(m.notes)
		changed, drop := any(nil), m.needless(s, sub, key, fixed[key])
		if drop {
			m.notes = append(m.notes, at(path, key)+": "+m.shown(fixed[key])+" dropped")
		} else {
			changed = m.fit(sub, fixed[key], at(path, key))
		}
		if len(m.notes) == before {
			continue
		}
		if !own {
			fixed, own = maps.Clone(fixed), true
		}
		fixed[key] = changed
		if drop {
			delete(fixed, key)
		}
	}
	return fixed
}

// needless reports whether a member says that it is not given, with a null that may not be there or with words for it.
func (m *mender) needless(s, sub *jsonschema.Schema, key string, value any) bool {
	text, isText := value.(string)
	text = strings.ToLower(strings.TrimSpace(text))
	inWords := isText && (text == "" || text == "null" || text == "none")
	if value != nil && !inWords || s.Properties[key] == nil || slices.Contains(s.Required, key) || m.fits(sub, value) {
		return false
	}
	switch types := m.typesOf(sub); {
	case value == nil:
		return true
	case len(types) == 0 || slices.Contains(types, "string") || slices.Contains(types, "null"):
		return false
	default:
		return text == "" || !slices.Contains(types, "array") // else it may be the one element
	}
}

// memberSchema is the schema of a member, nil when there is none.
func (m *mender) memberSchema(s *jsonschema.Schema, key string) *jsonschema.Schema {
	if sub := s.Properties[key]; sub != nil {
		return sub
	}
	for p, sub := range s.PatternProperties {
		if m.Matches(p, key) {
			return sub
		}
	}
	rest, _ := s.AdditionalProperties.(*jsonschema.Schema)
	return rest
}

// rename gives members the name of the one property that they can only mean: it differs in case and separators alone, and either theirs is
// not allowed or it is required.
func (m *mender) rename(s *jsonschema.Schema, fields map[string]any, path string) map[string]any {
	strict := closed(s)
	if !strict && !slices.ContainsFunc(s.Required, func(name string) bool { _, given := fields[name]; return !given }) {
		return fields
	}
	var properties map[string]string
	own := false
	for _, key := range m.order.sorted(fields) {
		if s.Properties[key] != nil {
			continue
		}
		if properties == nil && m.Take(len(s.Properties)) {
			properties = byBareName(s)
		}
		name := properties[bare(key)]
		if _, given := fields[name]; name == "" || given || !strict && !slices.Contains(s.Required, name) {
			continue
		}
		if !own {
			fields, own = maps.Clone(fields), true
		}
		fields[name] = fields[key]
		delete(fields, key)
		m.order.addAt(name, m.order.place(key))
		m.notes = append(m.notes, at(path, key)+" → "+at("", name))
	}
	return fields
}

// byBareName are the properties by their bare names, "" for a name that several have.
func byBareName(s *jsonschema.Schema) map[string]string {
	names := map[string]string{}
	for property := range s.Properties {
		name := bare(property)
		if _, taken := names[name]; taken {
			property = ""
		}
		names[name] = property
	}
	return names
}

var separators = strings.NewReplacer("_", "", "-", "", " ", "", ".", "")

// bare is a name without its case and separators.
func bare(name string) string { return strings.ToLower(separators.Replace(name)) }

// closed reports whether an object may have no other members than those that the schema names.
func closed(s *jsonschema.Schema) bool {
	if allowed, ok := s.AdditionalProperties.(bool); ok {
		return !allowed
	}
	rest := s.UnevaluatedProperties
	return rest != nil && rest.Bool != nil && !*rest.Bool
}
