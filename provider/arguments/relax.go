package arguments

import "github.com/santhosh-tekuri/jsonschema/v6"

// enumLimit is how many values an enumeration may have to be looked through.
const enumLimit = 5000

// relax takes out of a schema what is not for us to insist on: formats, patterns of names that nobody understands, and lists of values
// without end. It puts in that steps are counted.
func relax(s *jsonschema.Schema, counted *steps, done map[*jsonschema.Schema]bool) {
	if s == nil || done[s] {
		return
	}
	done[s] = true
	if s.Enum != nil && len(s.Enum.Values) > enumLimit {
		s.Enum = nil
	}
	for p := range s.PatternProperties {
		if own, ok := p.(*pattern); ok && own.program == nil {
			delete(s.PatternProperties, p)
			s.AdditionalProperties, s.UnevaluatedProperties = nil, nil
		}
	}
	for _, sub := range append(inPlace(s), inside(s)...) {
		relax(sub, counted, done)
	}
	s.Format = counted.meter(s)
}

// inPlace are the schemas that speak of the same value as s.
func inPlace(s *jsonschema.Schema) []*jsonschema.Schema {
	all := references(s)
	all = append(all, s.Not, s.If, s.Then, s.Else)
	for _, list := range [][]*jsonschema.Schema{s.AllOf, s.AnyOf, s.OneOf} {
		all = append(all, list...)
	}
	for _, sub := range s.DependentSchemas {
		all = append(all, sub)
	}
	for _, sub := range s.Dependencies {
		if sub, ok := sub.(*jsonschema.Schema); ok {
			all = append(all, sub)
		}
	}
	return all
}

// references are the schemas that s says are its own words.
func references(s *jsonschema.Schema) []*jsonschema.Schema {
	all := []*jsonschema.Schema{s.Ref, s.RecursiveRef}
	if s.DynamicRef != nil {
		all = append(all, s.DynamicRef.Ref)
	}
	return all
}

// inside are the schemas that speak of what is in the value.
func inside(s *jsonschema.Schema) []*jsonschema.Schema {
	all := []*jsonschema.Schema{s.PropertyNames, s.UnevaluatedProperties, s.Contains, s.Items2020, s.UnevaluatedItems}
	all = append(all, s.PrefixItems...)
	for _, sub := range s.Properties {
		all = append(all, sub)
	}
	for _, sub := range s.PatternProperties {
		all = append(all, sub)
	}
	for _, either := range []any{s.AdditionalProperties, s.Items, s.AdditionalItems} {
		switch either := either.(type) {
		case *jsonschema.Schema:
			all = append(all, either)
		case []*jsonschema.Schema:
			all = append(all, either...)
		}
	}
	return all
}
