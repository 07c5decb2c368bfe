package jsonschema

import (
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"
)

// Kind is what is wrong.
type Kind int

// The kinds of faults that readers tell apart.
const (
	Other Kind = iota
	WrongType
	WrongValue // not one of those listed
	Missing    // a member
	Unwanted   // a member, or a value where none fits
)

// Fault is one thing that is wrong with a value.
type Fault struct {
	Path   []string // names of members and numbers of elements
	Kind   Kind
	Text   string // what is wrong, without the value: "must be at least 3"
	Got    any    // the value; nil for a member that is missing or unwanted
	Types  []string
	Values []any

	at *place
}

func wrong(at *place, v any, text string) Fault { return Fault{at: at, Text: text, Got: v} }

// nearest returns the faults of the form that a value comes nearest to, none if it fits one. If all forms want another
// type, or another value, they are one fault.
func nearest(forms [][]Fault, at *place) []Fault {
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
		one.Values, one.Text = values, "expected "+Listed(values, room)
	}
	return []Fault{one}
}

// distance weighs faults: most of all that the value is of another type altogether, or that a member that distinguishes
// the forms has another value.
func distance(faults []Fault, at *place) (sum int) {
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

// room is how long a list of values is in the text of a fault.
const room = 90

// either is a choice of types: "integer or null".
func either(types []string) string { return strings.Join(InOrder(types), " or ") }

// Listed are values to choose from, as many as fit.
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

// Brief is a value in a few words.
func Brief(v any) string {
	const runes = 40
	switch v := v.(type) {
	case string:
		return Quoted(v, runes)
	case *Object:
		return "an object"
	case []any:
		return "an array"
	}
	return Clip(string(Encode(v)), runes)
}

// Clip cuts a text to so many runes.
func Clip(text string, runes int) string {
	for i := range text {
		if runes == 0 {
			return text[:i] + "…"
		}
		runes--
	}
	return text
}

// Quoted is a text in quotes, clipped, with control characters escaped.
func Quoted(text string, runes int) string {
	text = text[:min(len(text), (runes+1)*utf8.UTFMax)]
	return strconv.Quote(Clip(strings.ToValidUTF8(text, "\uFFFD"), runes))
}

// Plural is a unit for a number of them.
func Plural(number, unit string) string {
	if number == "1" {
		return unit
	}
	return unit + "s"
}

// InOrder sorts types, each once, null last.
func InOrder(types []string) []string {
	types = slices.Clone(types)
	slices.Sort(types)
	types = slices.Compact(types)
	if i := slices.Index(types, "null"); i >= 0 {
		types = append(slices.Delete(types, i, i+1), "null")
	}
	return types
}
