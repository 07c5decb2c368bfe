package schema

import (
	"slices"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"github.com/santhosh-tekuri/jsonschema/v6/kind"
)

// Fault is one thing that is wrong with a value.
type Fault struct {
	Where []string // in the value: names of members, and numbers of elements
	What  jsonschema.ErrorKind
}

// Faults are those that an error is made of. Where a value may have several forms, they are those of the form it comes nearest to.
func Faults(err error) []Fault {
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
		return []Fault{{e.InstanceLocation, e.ErrorKind}}
	}
	var all []Fault
	for _, cause := range e.Causes {
		all = append(all, Faults(cause)...)
	}
	return all
}

// nearest are the faults of the form that a value comes nearest to. When all forms want another type, or another value, they are told as one.
func nearest(forms []*jsonschema.ValidationError, depth int) []Fault {
	var best []Fault
	var types []string
	var values []any
	score := 0
	for _, form := range forms {
		all := Faults(form)
		if len(all) == 0 {
			continue
		}
		if len(all) == 1 && len(all[0].Where) == depth {
			switch what := all[0].What.(type) {
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
	if len(best) != 1 || len(best[0].Where) != depth {
		return best
	}
	switch best[0].What.(type) {
	case *kind.Type:
		return []Fault{{best[0].Where, &kind.Type{Want: types}}}
	case *kind.Const, *kind.Enum:
		return []Fault{{best[0].Where, &kind.Enum{Want: values}}}
	}
	return best
}

// distance weighs faults: that the value is of another type altogether, or that a member which tells the forms apart says another, most.
func distance(all []Fault, depth int) int {
	sum := 0
	for _, f := range all {
		switch f.What.(type) {
		case *kind.Type:
			sum += 3
			if len(f.Where) == depth {
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
