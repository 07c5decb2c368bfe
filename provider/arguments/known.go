package arguments

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/aloudchat/aloud/schema"
	"github.com/santhosh-tekuri/jsonschema/v6"
)

// knownArguments lists the arguments of the tool, the required ones first.
func (s *checked) knownArguments() string {
	const room = 350
	known, required := properties(s.Root), requiredOf(s.Root)
	names := make([]string, 0, len(known))
	for name := range known {
		names = append(names, name)
	}
	if len(names) == 0 && closed(s.Root) {
		return " The tool takes no arguments."
	}
	if len(names) == 0 {
		return ""
	}
	slices.SortFunc(names, func(a, b string) int {
		return cmp.Or(asInt(required[b])-asInt(required[a]), strings.Compare(a, b))
	})
	var out strings.Builder
	for i, name := range names {
		if i > 0 {
			out.WriteString(", ")
		}
		if out.Len() > room {
			fmt.Fprintf(&out, "and %d more", len(names)-i)
			break
		}
		out.WriteString(at("", clip(name, 40)))
		words := strings.Join(s.typesOf(known[name]), " or ")
		if enum := known[name].Enum; enum != nil {
			words = listed(enum.Values)
		}
		if required[name] {
			words = strings.TrimPrefix(words+", required", ", ")
		}
		if words != "" {
			out.WriteString(" (" + words + ")")
		}
	}
	return " Known arguments: " + out.String() + "."
}

func asInt(b bool) int {
	if b {
		return 1
	}
	return 0
}

// requiredOf are the members that a schema wants in any case.
func requiredOf(s *jsonschema.Schema) map[string]bool {
	required := map[string]bool{}
	for _, part := range schema.Reach(s, schema.Certain) {
		for _, name := range part.Required {
			required[name] = true
		}
	}
	return required
}

// typesOf are the types that a part of the schema allows, nil when it does not say.
func (s *checked) typesOf(part *jsonschema.Schema) []string {
	var types []string
	all := schema.Reach(part, schema.InPlace)
	for _, sub := range all {
		if sub.Types != nil {
			types = append(types, sub.Types.ToStrings()...)
		}
	}
	s.Take(len(all))
	return inOrder(types)
}

// inOrder are types as one says them: each once, null last.
func inOrder(types []string) []string {
	types = slices.Clone(types)
	slices.SortFunc(types, func(a, b string) int {
		return cmp.Or(asInt(a == "null")-asInt(b == "null"), strings.Compare(a, b))
	})
	return slices.Compact(types)
}

// properties are those that a schema knows, wherever it says so.
func properties(s *jsonschema.Schema) map[string]*jsonschema.Schema {
	known := map[string]*jsonschema.Schema{}
	for _, part := range schema.Reach(s, schema.InPlace) {
		for key, sub := range part.Properties {
			if known[key] == nil {
				known[key] = sub
			}
		}
	}
	return known
}
