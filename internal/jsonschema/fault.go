package jsonschema

import (
	"slices"
	"strconv"
	"strings"

	"github.com/aloudchat/aloud/internal/sanitize"
)

// Kind is the kind of a fault.
type Kind int

// The kinds of faults.
const (
	Other Kind = iota
	WrongType
	WrongValue // not in enum or const
	Missing    // a required member
	Unwanted   // a member that is not allowed
)

// Fault is one mismatch between a value and its schema.
type Fault struct {
	Path   []string // names of members and indexes of elements
	Kind   Kind
	Text   string   // such as "must be at least 3"
	Got    any      // the value, nil for Missing and Unwanted
	Types  []string // expected types, for WrongType
	Values []any    // expected values, for WrongValue

	at *position
}

func wrong(at *position, v any, text string) Fault { return Fault{at: at, Text: text, Got: v} }

// nearest returns the faults of the alternative that fits best. Faults about the type or value itself are combined.
func nearest(forms [][]Fault, at *position) []Fault {
	var best []Fault
	var types []string
	var values []any
	for i, faults := range forms {
		if i == 0 || distance(faults, at) < distance(best, at) {
			best = faults
		}
		if len(faults) == 1 && faults[0].at == at {
			types = append(types, faults[0].Types...)
			values = append(values, faults[0].Values...)
		}
	}
	if len(best) != 1 || best[0].at != at {
		return best
	}
	one := best[0]
	switch one.Kind {
	case WrongType:
		one.Types, one.Text = types, "expected "+either(types)
	case WrongValue:
		one.Values, one.Text = values, "expected "+Listed(values, maxListed)
	}
	return []Fault{one}
}

// distance weighs faults. A wrong type weighs most, then a wrong value, which may be that of a discriminator.
func distance(faults []Fault, at *position) (sum int) {
	for _, f := range faults {
		switch {
		case f.Kind == WrongType && f.at == at:
			sum += 100
		case f.Kind == WrongValue:
			sum += 10
		default:
			sum += 3
		}
	}
	return sum
}

// maxListed is the maximum length of a list of values in Fault.Text.
const maxListed = 90

// either returns a text like "integer or null".
func either(types []string) string { return strings.Join(InOrder(types), " or ") }

// Listed returns a text like `one of "a", "b"…` with the values that fit into room.
func Listed(values []any, room int) string {
	var out strings.Builder
	for i, v := range values {
		if i > 0 {
			out.WriteString(", ")
		}
		if out.Len() > room {
			out.WriteString("…")
			break
		}
		out.WriteString(Brief(v))
	}
	if len(values) == 1 {
		return out.String()
	}
	return "one of " + out.String()
}

// Brief returns a short description of a value.
func Brief(v any) string {
	const most = 40 // bytes
	switch v := v.(type) {
	case string:
		return Quoted(v, most)
	case *Object:
		return "an object"
	case []any:
		return "an array"
	}
	return sanitize.Clip(string(Encode(v)), most)
}

// Quoted returns text truncated to most bytes and in quotes, with control characters escaped.
func Quoted(text string, most int) string { return strconv.Quote(sanitize.Clip(text, most)) }

// InOrder returns the types sorted, without duplicates, with null last.
func InOrder(types []string) []string {
	types = slices.Clone(types)
	slices.Sort(types)
	types = slices.Compact(types)
	if i := slices.Index(types, "null"); i >= 0 {
		types = append(slices.Delete(types, i, i+1), "null")
	}
	return types
}
