package jsonschema

import (
	"encoding/json"
	"slices"
	"strings"
)

// Limits of a completed schema.
const (
	maxComplete = 64 << 10 // bytes, approximate
	maxNesting  = 16       // schemas inside each other
	visitCost   = 16       // bytes charged for each schema or name, so that the work is limited too
)

// Complete returns a tool's schema in a form that strict model servers accept. Such servers refuse a whole request
// because of one tool. The result is an object with properties. References and "allOf" are resolved, a schema that
// contains itself becomes {}, alternatives at the top become optional properties, booleans in place of schemas become
// {}, and keywords whose value has the wrong type are dropped.
func Complete(schema json.RawMessage) json.RawMessage {
	all := NewObject()
	if s, ok := Parse(schema); ok {
		c := completer{left: maxComplete}
		all = c.schema(s, 0, nil)
		mergeAlternatives(all)
	}
	out := NewObject()
	out.Set("type", "object")
	properties, _ := all.Values["properties"].(*Object)
	if properties == nil {
		properties = NewObject()
	}
	out.Set("properties", properties)
	for _, key := range all.Keys {
		switch key {
		case "type", "anyOf", "oneOf", "not", "if", "then", "else", "enum", "items":
			continue
		case "required":
			for _, name := range all.Values[key].([]any) {
				if _, known := properties.Values[name.(string)]; !known {
					properties.Set(name.(string), NewObject())
				}
			}
		}
		out.Set(key, all.Values[key])
	}
	return Encode(out)
}

// completer completes one schema.
type completer struct {
	left int // remaining size limit in bytes
}

// spend subtracts n bytes from the limit, and reports whether it is not exceeded.
func (c *completer) spend(n int) bool {
	c.left -= n
	return c.left >= 0
}

// schema returns a complete copy of a schema. within has the schemas around it.
func (c *completer) schema(s Schema, depth int, within []*Object) *Object {
	out, in := NewObject(), s.Keywords()
	if in == nil || depth > maxNesting || slices.Contains(within, in) || !c.spend(visitCost) {
		return out
	}
	within = append(slices.Clip(within), in)
	for _, keyword := range in.Keys {
		if !c.spend(len(keyword)) {
			break
		}
		if value := c.keyword(s, keyword, depth+1, within); value != nil {
			out.Set(nameOf(keyword, value), value)
		}
	}
	for _, sub := range Implied(s) {
		merge(out, c.schema(sub, depth, within))
	}
	if _, has := out.Values["items"]; !has && slices.Contains(Schema{value: out}.Types(), "array") {
		out.Set("items", NewObject())
	}
	return out
}

// nameOf returns the keyword for a value in the syntax of 2020: "items" had the places of a list before, and "const" is
// less known than "enum".
func nameOf(keyword string, value any) string {
	_, isList := value.([]any)
	switch {
	case keyword == "const":
		return "enum"
	case keyword == "items" && isList:
		return "prefixItems"
	}
	return keyword
}

// keyword returns the value of a keyword in its completed form, or nil to drop it.
func (c *completer) keyword(s Schema, keyword string, depth int, within []*Object) any {
	value := s.Value(keyword)
	switch keyword {
	case "definitions", "allOf":
		return nil
	case "type":
		return unlessEmpty(c.names(s.Types()), len(s.Types()) == 1)
	case "required":
		return unlessEmpty(c.names(s.Strings(keyword)), false)
	case "properties", "patternProperties", "dependentSchemas":
		return c.members(s, keyword, depth, within)
	case "anyOf", "oneOf", "prefixItems":
		return c.list(s, keyword, depth, within)
	case "items":
		if s.List(keyword) != nil { // the syntax before 2020
			return c.list(s, keyword, depth, within)
		}
		return c.sub(s, keyword, depth, within)
	case "contains", "propertyNames", "contentSchema", "not", "if", "then", "else":
		return c.sub(s, keyword, depth, within)
	case "additionalProperties", "unevaluatedProperties", "additionalItems", "unevaluatedItems":
		if allowed, isBool := value.(bool); isBool {
			return allowed
		}
		return c.sub(s, keyword, depth, within)
	case "const":
		return c.leaf([]any{value}, true)
	case "enum":
		return c.leaf(value, len(s.List(keyword)) > 0)
	case "default", "examples":
		return c.leaf(value, true)
	case "description", "title", "format", "pattern":
		return c.leaf(value, s.Text(keyword) != "")
	case "minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf", "minLength", "maxLength",
		"minItems", "maxItems", "minProperties", "maxProperties", "minContains", "maxContains":
		return c.leaf(value, s.Number(keyword) != "")
	case "uniqueItems":
		_, isBool := value.(bool)
		return c.leaf(value, isBool)
	}
	_, isScalar := Scalar(value) // others can contain schemas in a form that is not known here
	return c.leaf(value, isScalar && !strings.HasPrefix(keyword, "$"))
}

// leaf returns a value without schemas in it, or nil if it is not valid or too large.
func (c *completer) leaf(value any, valid bool) any {
	if !valid || c.left < 0 || !c.spend(len(Encode(value))) {
		return nil
	}
	return value
}

// sub returns the schema value of a keyword. Where a boolean cannot become {}, it is dropped.
func (c *completer) sub(s Schema, keyword string, depth int, within []*Object) any {
	sub, ok := s.Sub(keyword)
	isBool := sub.Keywords() == nil
	if !ok || isBool && slices.Contains([]string{"not", "if", "then", "else"}, keyword) {
		return nil
	}
	return c.schema(sub, depth, within)
}

func (c *completer) list(s Schema, keyword string, depth int, within []*Object) any {
	var out []any
	for _, sub := range s.Subs(keyword) {
		if c.left < 0 {
			break
		}
		out = append(out, c.schema(sub, depth, within))
	}
	return unlessEmpty(out, false)
}

func (c *completer) members(s Schema, keyword string, depth int, within []*Object) any {
	all, ok := s.Value(keyword).(*Object)
	if !ok {
		return nil
	}
	out := NewObject()
	for _, name := range all.Keys {
		if !c.spend(len(name)) {
			break
		}
		sub, _ := s.Member(keyword, name)
		out.Set(name, c.schema(sub, depth, within))
	}
	return out
}

func (c *completer) names(names []string) (out []any) {
	for _, name := range names {
		if !c.spend(len(name) + visitCost) {
			break
		}
		out = append(out, name)
	}
	return out
}

// unlessEmpty returns a list as a value, nil if it is empty, and its element if it is single.
func unlessEmpty(list []any, single bool) any {
	switch {
	case len(list) == 0:
		return nil
	case single:
		return list[0]
	}
	return list
}
