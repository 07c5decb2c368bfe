package arguments

import "github.com/santhosh-tekuri/jsonschema/v6"

// reach are the schemas that are reached from one, each once and the nearest first.
func reach(root *jsonschema.Schema, lead func(*jsonschema.Schema) []*jsonschema.Schema) []*jsonschema.Schema {
	all := []*jsonschema.Schema{root}
	done := map[*jsonschema.Schema]bool{root: true}
	for i := 0; i < len(all); i++ {
		for _, sub := range lead(all[i]) {
			if sub != nil && !done[sub] {
				done[sub] = true
				all = append(all, sub)
			}
		}
	}
	return all
}

// parts are all schemas within s. Some may be nil, as in what else leads from one to others.
func parts(s *jsonschema.Schema) []*jsonschema.Schema { return append(inPlace(s), inside(s)...) }

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
	all := append(make([]*jsonschema.Schema, 0, 8), s.Ref, s.RecursiveRef)
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

// certain are the schemas that hold whenever s does.
func certain(s *jsonschema.Schema) []*jsonschema.Schema { return append(references(s), s.AllOf...) }
