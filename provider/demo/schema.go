package demo

import (
	"encoding/json"
	"slices"
)

// schema is what the rules read of a JSON Schema.
type schema struct {
	properties []property // the required ones first, in their order; then the others by name
}

type property struct {
	name     string
	required bool
	types    []string
	enum     []any
	standard any // the default
	format   string
	minimum  *float64
}

// parseSchema reads what it understands; of the rest it makes nothing.
func parseSchema(raw json.RawMessage) schema {
	var in struct {
		Properties map[string]json.RawMessage `json:"properties"`
		Required   []string                   `json:"required"`
	}
	_ = json.Unmarshal(raw, &in)
	names := slices.DeleteFunc(in.Required, func(name string) bool { return in.Properties[name] == nil })
	required := len(names)
	var others []string
	for name := range in.Properties {
		if !slices.Contains(names, name) {
			others = append(others, name)
		}
	}
	slices.Sort(others)
	var s schema
	for i, name := range append(names, others...) {
		p := parseProperty(in.Properties[name])
		p.name, p.required = name, i < required
		s.properties = append(s.properties, p)
	}
	return s
}

func parseProperty(raw json.RawMessage) property {
	var in struct {
		Type    json.RawMessage   `json:"type"`
		Enum    []any             `json:"enum"`
		Default any               `json:"default"`
		Format  string            `json:"format"`
		Minimum *float64          `json:"minimum"`
		AnyOf   []json.RawMessage `json:"anyOf"`
	}
	if json.Unmarshal(raw, &in) != nil {
		return property{}
	}
	p := property{enum: in.Enum, standard: in.Default, format: in.Format, minimum: in.Minimum}
	var one string
	if json.Unmarshal(in.Type, &one) == nil && one != "" {
		p.types = []string{one}
	} else {
		_ = json.Unmarshal(in.Type, &p.types)
	}
	for _, branch := range in.AnyOf {
		p.types = append(p.types, parseProperty(branch).types...)
	}
	return p
}

// kind is what an argument is about, told by its name and type.
type kind int

const (
	kindText kind = iota
	kindZone
	kindURL
	kindPath
	kindGlob
	kindQuery
	kindNumber
	kindBool
	kindList
	kindObject
)

var (
	namedZone  = pattern(`(?i)(time_?)?zone|^tz$`)
	namedURL   = pattern(`(?i)^ur[li]s?$|_ur[li]$|Ur[li]$|^link$|^address$`)
	namedPath  = pattern(`(?i)path|^dir$|directory|folder|^files?$|filename|file_name`)
	namedGlob  = pattern(`(?i)glob`)
	namedQuery = pattern(`(?i)pattern|query|search|^q$|keyword|regex|term`)
)

func (p property) kind() kind {
	is := func(name string) bool { return slices.Contains(p.types, name) }
	switch {
	case is("array"):
		return kindList
	case is("object"):
		return kindObject
	case is("boolean"):
		return kindBool
	case is("number"), is("integer"):
		return kindNumber
	case namedZone().MatchString(p.name):
		return kindZone
	case p.format == "uri", namedURL().MatchString(p.name):
		return kindURL
	case namedGlob().MatchString(p.name):
		return kindGlob
	case namedQuery().MatchString(p.name):
		return kindQuery
	case namedPath().MatchString(p.name):
		return kindPath
	}
	return kindText
}
