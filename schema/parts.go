package schema

import "github.com/santhosh-tekuri/jsonschema/v6"

// Reach are the schemas that are reached from one, each once and the nearest first.
func Reach(root *jsonschema.Schema, lead func(*jsonschema.Schema) []*jsonschema.Schema) []*jsonschema.Schema {
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
func parts(s *jsonschema.Schema) []*jsonschema.Schema { return append(InPlace(s), inside(s)...) }

// InPlace are the schemas that speak of the same value as s.
func InPlace(s *jsonschema.Schema) []*jsonschema.Schema {
	all := References(s)
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

// References are the schemas that s says are its own words.
func References(s *jsonschema.Schema) []*jsonschema.Schema {
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

// Certain are the schemas that hold whenever s does.
func Certain(s *jsonschema.Schema) []*jsonschema.Schema { return append(References(s), s.AllOf...) }
