package toolcall

import (
	"regexp"

	"github.com/santhosh-tekuri/jsonschema/v6"
)

// compilePattern is nil for a pattern that Go does not know.
func compilePattern(source string) matcher {
	if compiled, err := regexp.Compile(source); err == nil {
		return compiled
	}
	return nil
}

// relax takes out of a schema what is not for us to insist on: formats, and patterns of properties that nobody understands.
func relax(s *jsonschema.Schema, done map[*jsonschema.Schema]bool) {
	if s == nil || done[s] {
		return
	}
	done[s] = true
	s.Format = nil
	for p := range s.PatternProperties {
		if own, ok := p.(*pattern); ok && own.program == nil {
			delete(s.PatternProperties, p)
			s.AdditionalProperties, s.UnevaluatedProperties = nil, nil
		}
	}
	for _, sub := range parts(s) {
		relax(sub, done)
	}
}

// parts are the schemas within a schema, and those it refers to.
func parts(s *jsonschema.Schema) []*jsonschema.Schema {
	all := []*jsonschema.Schema{s.Ref, s.RecursiveRef, s.Not, s.If, s.Then, s.Else, s.PropertyNames, s.UnevaluatedProperties, s.Contains,
		s.Items2020, s.UnevaluatedItems}
	if s.DynamicRef != nil {
		all = append(all, s.DynamicRef.Ref)
	}
	for _, list := range [][]*jsonschema.Schema{s.AllOf, s.AnyOf, s.OneOf, s.PrefixItems} {
		all = append(all, list...)
	}
	for _, sub := range s.Properties {
		all = append(all, sub)
	}
	for _, sub := range s.PatternProperties {
		all = append(all, sub)
	}
	for _, sub := range s.DependentSchemas {
		all = append(all, sub)
	}
	for _, sub := range s.Dependencies {
		if sub, ok := sub.(*jsonschema.Schema); ok {
			all = append(all, sub)
		}
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
