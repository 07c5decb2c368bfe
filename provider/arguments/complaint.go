package arguments

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"github.com/santhosh-tekuri/jsonschema/v6/kind"
	"golang.org/x/text/language"
	"golang.org/x/text/message"
)

// complain tells the model what is wrong with its arguments, and which there are.
func (s *schema) complain(err error, value any) string {
	const most = 5
	var said []string
	for _, f := range faults(err) {
		said = append(said, f.text(value)...)
	}
	slices.Sort(said)
	said = slices.Compact(said)
	more := ""
	if len(said) > most {
		more = fmt.Sprintf(" And %d more.", len(said)-most)
		said = said[:most]
	}
	var out strings.Builder
	out.WriteString("The arguments do not fit the tool. ")
	for _, one := range said {
		out.WriteString(clip(one, 180) + ". ")
	}
	return strings.TrimSpace(strings.TrimSpace(out.String())+more) + s.knownArguments() + " Call it again with these mended."
}

// fault is one thing that is wrong with a value.
type fault struct {
	where []string
	what  jsonschema.ErrorKind
}

// faults are those that an error is made of. Where a value may have several forms, they are those of the form it comes nearest to.
func faults(err error) []fault {
	e, ok := err.(*jsonschema.ValidationError) //nolint:errorlint // the library returns it as it is
	if !ok {
		return nil
	}
	switch what := e.ErrorKind.(type) {
	case *kind.AnyOf:
		return nearest(e.Causes, len(e.InstanceLocation))
	case *kind.OneOf:
		if len(what.Subschemas) == 0 {
			return nearest(e.Causes, len(e.InstanceLocation))
		}
	}
	if len(e.Causes) == 0 {
		return []fault{{e.InstanceLocation, e.ErrorKind}}
	}
	var all []fault
	for _, cause := range e.Causes {
		all = append(all, faults(cause)...)
	}
	return all
}

// nearest are the faults of the form that a value comes nearest to. When all forms want another type, or another value, they are told as one.
func nearest(forms []*jsonschema.ValidationError, depth int) []fault {
	var best []fault
	var types []string
	var values []any
	score := 0
	for _, form := range forms {
		all := faults(form)
		if len(all) == 0 {
			continue
		}
		if len(all) == 1 && len(all[0].where) == depth {
			switch what := all[0].what.(type) {
			case *kind.Type:
				types = append(types, what.Want...)
			case *kind.Const:
				values = append(values, what.Want)
			case *kind.Enum:
				values = append(values, what.Want...)
			}
		}
		if s := distance(all, depth); best == nil || s < score {
			best, score = all, s
		}
	}
	if len(best) != 1 || len(best[0].where) != depth {
		return best
	}
	switch best[0].what.(type) {
	case *kind.Type:
		return []fault{{best[0].where, &kind.Type{Want: types}}}
	case *kind.Const, *kind.Enum:
		return []fault{{best[0].where, &kind.Enum{Want: values}}}
	}
	return best
}

// distance weighs faults: that the value is of another type altogether, or that a member which tells the forms apart says another, most.
func distance(all []fault, depth int) int {
	sum := 0
	for _, f := range all {
		switch f.what.(type) {
		case *kind.Type:
			sum += 3
			if len(f.where) == depth {
				sum += 100
			}
		case *kind.Const, *kind.Enum:
			sum += 10
		case *kind.AdditionalProperties, *kind.FalseSchema:
			sum += 5
		default:
			sum += 2
		}
	}
	return sum
}

// circular reports whether an error is one of a schema that refers to itself without end.
func circular(err error) bool {
	e, ok := err.(*jsonschema.ValidationError) //nolint:errorlint // the library returns it as it is
	if !ok {
		return false
	}
	if _, ok := e.ErrorKind.(*kind.RefCycle); ok {
		return true
	}
	return slices.ContainsFunc(e.Causes, func(cause *jsonschema.ValidationError) bool { return circular(cause) })
}

// text tells the fault, once for every member that it is about.
func (f fault) text(value any) []string {
	value, path := lookup(value, f.where)
	before := path + ": "
	if path == "" {
		before = "The arguments: "
	}
	switch what := f.what.(type) {
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
	return []string{before + clip(f.what.LocalizedString(message.NewPrinter(language.English)), 120)}
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
	const longest = 80
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
