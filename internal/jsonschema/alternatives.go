package jsonschema

import (
	"slices"
	"strings"
)

// mergeAlternatives adds the properties of the alternatives of an object to it, so that it accepts what any of them
// accepts. Properties that some alternative does not require are optional.
func mergeAlternatives(o *Object) {
	var alternatives []*Object
	for _, value := range slices.Concat(listIn(o, "anyOf"), listIn(o, "oneOf")) {
		if alternative := value.(*Object); alternative.Values["type"] != "null" {
			mergeAlternatives(alternative)
			alternatives = append(alternatives, alternative)
		}
	}
	if len(alternatives) == 0 {
		return
	}
	properties := NewObject() // the schemas of each in all alternatives
	requiredBy := map[any]int{}
	for _, alternative := range alternatives {
		if description, has := alternative.Values["description"]; has {
			merge(o, member("description", description))
		}
		for _, name := range listIn(alternative, "required") {
			requiredBy[name]++
		}
		own, _ := alternative.Values["properties"].(*Object)
		if own == nil {
			continue
		}
		for _, name := range own.Keys {
			properties.Set(name, append(listIn(properties, name), own.Values[name]))
		}
	}
	all := NewObject()
	optional := func(name any) bool { return requiredBy[name] < len(alternatives) }
	if required := slices.DeleteFunc(slices.Clone(listIn(alternatives[0], "required")), optional); len(required) > 0 {
		all.Set("required", required)
	}
	if len(properties.Keys) > 0 {
		all.Set("properties", anyOfEach(properties, o, len(alternatives)))
	}
	merge(o, all)
}

// Flat returns a completed schema with its alternatives merged into it, where that is possible: the only alternative,
// or types and values. Null as an alternative becomes a type. Otherwise the alternatives are in "anyOf". Flat may
// change s.
func Flat(s Schema) Schema {
	out := NewObject()
	var alternatives, others []any // others: without null
	allPlain, values := true, 0
	for _, sub := range append(s.Subs("anyOf"), s.Subs("oneOf")...) {
		alternative := Flat(sub).Keywords()
		alternatives = append(alternatives, alternative)
		isPlain := !slices.ContainsFunc(alternative.Keys, func(key string) bool { return !slices.Contains(plain, key) })
		if isPlain && alternative.Values["type"] == "null" {
			continue
		}
		others, allPlain = append(others, alternative), allPlain && isPlain
		if alternative.Values["enum"] != nil {
			values++
		}
	}
	if in := s.Keywords(); in != nil {
		for _, key := range in.Keys {
			if key != "anyOf" && key != "oneOf" {
				out.Set(key, in.Values[key])
			}
		}
	}
	flat := Schema{value: out}
	switch {
	case len(others) == 1:
		merge(out, others[0].(*Object))
	case allPlain && (values == 0 || values == len(others)):
		for _, other := range others {
			addTypes(flat, Schema{value: other}.Types()...)
			if values > 0 {
				out.Set("enum", slices.Concat(listIn(out, "enum"), listIn(other.(*Object), "enum")))
			}
		}
	default:
		out.Set("anyOf", alternatives)
		return flat
	}
	if len(others) < len(alternatives) && out.Values["type"] != nil {
		addTypes(flat, "null")
	}
	return flat
}

// plain are the keywords of alternatives that become a list of types or values. The required properties of one
// alternative are not required.
var plain = []string{"type", "enum", "title", "required"}

func addTypes(s Schema, types ...string) {
	var all []any
	for _, name := range append(s.Types(), types...) {
		all = append(all, name)
	}
	if len(all) > 0 {
		s.Keywords().Set("type", union(all, nil))
	}
}

// anyOfEach returns the properties for lists of schemas from several alternatives of o. Some alternatives do not
// limit a property that has fewer schemas. If o knows it, it is dropped.
func anyOfEach(lists, o *Object, alternatives int) *Object {
	out := NewObject()
	known, _ := o.Values["properties"].(*Object)
	for _, name := range lists.Keys {
		schemas := listIn(lists, name)
		if known != nil && known.Values[name] != nil && len(schemas) < alternatives {
			continue
		}
		out.Set(name, anyOf(schemas))
	}
	return out
}

// anyOf returns a schema for values that fit one of the schemas. Schemas that differ only in their values, such as the
// kinds of objects, or in their descriptions become one.
func anyOf(schemas []any) *Object {
	var distinct []any
	byShape := map[string]*Object{}
	values := map[*Object][]any{}
	for _, schema := range union(flat(schemas), nil) {
		schema := schema.(*Object)
		shape := shapeOf(schema)
		first, has := byShape[shape]
		if !has {
			byShape[shape], first = schema, schema
			distinct = append(distinct, schema)
		} else if description, has := schema.Values["description"]; has {
			merge(first, member("description", description))
		}
		values[first] = append(values[first], listIn(schema, "enum")...)
	}
	for schema, list := range values {
		if len(list) > 0 {
			schema.Set("enum", union(list, nil))
		}
	}
	if len(distinct) == 1 {
		return distinct[0].(*Object)
	}
	return member("anyOf", distinct)
}

// flat replaces schemas that are only alternatives by these.
func flat(schemas []any) (out []any) {
	for _, schema := range schemas {
		if list := listIn(schema.(*Object), "anyOf"); list != nil && len(schema.(*Object).Keys) == 1 {
			out = append(out, list...)
		} else {
			out = append(out, schema)
		}
	}
	return out
}

// shapeOf returns the text of a schema without its values and description.
func shapeOf(schema *Object) string {
	shape := NewObject()
	for _, key := range schema.Keys {
		switch key {
		case "description":
		case "enum":
			shape.Set(key, true)
		default:
			shape.Set(key, schema.Values[key])
		}
	}
	return string(Encode(shape))
}

// member returns an object with one member.
func member(key string, value any) *Object { return &Object{[]string{key}, map[string]any{key: value}} }

func listIn(o *Object, key string) []any {
	list, _ := o.Values[key].([]any)
	return list
}

// merge adds the parts of q that p lacks.
func merge(p, q *Object) {
	for _, key := range q.Keys {
		theirs := q.Values[key]
		mine, both := p.Values[key]
		switch {
		case !both:
			p.Set(key, theirs)
		case key == "description":
			if mine, theirs := mine.(string), theirs.(string); !strings.Contains(mine, theirs) {
				p.Set(key, mine+" "+theirs)
			}
		case key == "required" || key == "enum": // enum: for example the kind of alternative objects
			p.Set(key, union(mine.([]any), theirs.([]any)))
		case key == "properties":
			into := mine.(*Object)
			for _, name := range theirs.(*Object).Keys {
				sub := theirs.(*Object).Values[name]
				if known, has := into.Values[name]; has {
					merge(known.(*Object), sub.(*Object))
				} else {
					into.Set(name, sub)
				}
			}
		}
	}
}

// union returns the values of two lists without duplicates.
func union(a, b []any) (out []any) {
	known := map[string]bool{}
	for _, value := range slices.Concat(a, b) {
		if encoded := string(Encode(value)); !known[encoded] {
			known[encoded] = true
			out = append(out, value)
		}
	}
	return out
}
