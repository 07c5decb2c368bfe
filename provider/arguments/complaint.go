package arguments

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/aloudchat/aloud/schema"
	"github.com/santhosh-tekuri/jsonschema/v6/kind"
	"golang.org/x/text/language"
	"golang.org/x/text/message"
)

// complain tells the model what is wrong with its arguments, and which there are.
func (s *checked) complain(err error, value any) string {
	const told, looked = 5, 200
	all := schema.Faults(err)
	var said []string
	for _, f := range all[:min(len(all), looked)] {
		said = append(said, words(f, value)...)
	}
	slices.Sort(said)
	said = slices.Compact(said)
	more := max(len(said)-told, 0) + max(len(all)-looked, 0)
	var out strings.Builder
	out.WriteString("The arguments do not fit the tool.")
	for _, one := range said[:min(len(said), told)] {
		out.WriteString(" " + clip(one, 180) + ".")
	}
	if more > 0 {
		fmt.Fprintf(&out, " And %d more.", more)
	}
	return out.String() + s.knownArguments() + " Call it again with these mended."
}

// words tell a fault, once for every member that it is about.
func words(f schema.Fault, value any) []string {
	value, path := lookup(value, f.Where)
	before := path + ": "
	if path == "" {
		before = "The arguments: "
	}
	switch what := f.What.(type) {
	case *kind.Required:
		return each(path, what.Missing, "is missing")
	case *kind.DependentRequired:
		return each(path, what.Missing, "is missing, as "+clip(what.Prop, 40)+" is given")
	case *kind.AdditionalProperties:
		return each(path, what.Properties, "is no argument of this tool")
	case *kind.FalseSchema:
		return []string{before + "must not be given"}
	case *kind.Type:
		return []string{before + "expected " + strings.Join(inOrder(what.Want), " or ") + ", got " + brief(value)}
	case *kind.Enum:
		return []string{before + "expected " + listed(what.Want) + ", got " + brief(value)}
	case *kind.Const:
		return []string{before + "expected " + brief(what.Want) + ", got " + brief(value)}
	case *kind.Pattern:
		return []string{before + "must match the pattern " + clip(what.Want, 60) + ", got " + brief(value)}
	case *kind.OneOf:
		return []string{before + "fits several of the forms it may have, and must fit one"}
	}
	return []string{before + clip(f.What.LocalizedString(message.NewPrinter(language.English)), 120)}
}

// each tells the same of several members.
func each(path string, keys []string, what string) []string {
	var all []string
	for _, key := range keys[:min(len(keys), 20)] {
		all = append(all, at(path, key)+": "+what)
	}
	return all
}

// lookup finds a value by its location, and says where that is.
func lookup(value any, where []string) (found any, path string) {
	const longest = 80
	for _, step := range where {
		switch inner := value.(type) {
		case map[string]any:
			value, path = inner[step], at(path, step)
		case []any:
			path += "[" + step + "]"
			if i, err := strconv.Atoi(step); err == nil && i < len(inner) {
				value = inner[i]
			}
		}
	}
	return value, clip(path, longest)
}

// brief is a value in a few words.
func brief(v any) string {
	const runes = 40
	switch v := v.(type) {
	case string:
		return quoted(v, runes)
	case map[string]any:
		return "an object"
	case []any:
		return "an array"
	default:
		return clip(string(keyOrder{}.write(v)), runes)
	}
}

// listed are values to choose from, as many as fit.
func listed(values []any) string {
	const room = 90
	var out strings.Builder
	for i, v := range values {
		if i > 0 {
			out.WriteString(", ")
		}
		if out.Len() > room {
			out.WriteString("…")
			break
		}
		out.WriteString(brief(v))
	}
	if len(values) == 1 {
		return out.String()
	}
	return "one of " + out.String()
}
