package jsonschema

import (
	"cmp"
	"encoding/json"
	"fmt"
	"math"
	"regexp"
	"regexp/syntax"
	"slices"
	"strconv"
	"unicode/utf8"
)

// What one check may cost. A schema can be written such that the work doubles with every level of a value.
const (
	mostSteps  = 100_000
	mostNested = 2000 // parts of the schema within each other
	mostFaults = 200
)

// MostValues are looked through in a list of values that are allowed. A longer list allows everything.
const MostValues = 5000

// listedPerStep is how much of the lists of a schema is looked through in one step.
const listedPerStep = 16

// listed is how much there is in the lists that a validation goes through.
func (s Schema) listed() (sum int) {
	for _, keyword := range []string{"type", "required", "allOf", "anyOf", "oneOf"} {
		sum += len(s.List(keyword))
	}
	return sum
}

// Check is the validation of one value: all of its steps share a budget. The zero value is ready.
type Check struct{ spent, nested int }

// Take spends steps, and reports whether there were enough left.
func (c *Check) Take(n int) bool {
	c.spent += n
	return c.spent <= mostSteps
}

// Validate returns what is wrong with a value, at most some 200 faults. known is false when that would take too much
// work.
//
// It checks what schemas of tools and forms say: types, enum, const, properties, required, additionalProperties, items,
// prefixItems, allOf, anyOf, references within the schema, bounds of numbers and lengths, and patterns. Of oneOf any
// may fit, not just one. Every other keyword accepts everything, as does a pattern of another dialect.
func (c *Check) Validate(s Schema, value any) (faults []Fault, known bool) {
	faults = c.validate(s, value, nil)
	for i, f := range faults {
		faults[i].Path = f.at.path()
	}
	return faults, c.Take(0)
}

// Fits reports whether a value is valid, or not known to be invalid.
func (c *Check) Fits(s Schema, value any) bool {
	faults, known := c.Validate(s, value)
	return len(faults) == 0 || !known
}

// place is where in a value a fault is, nil at the top.
type place struct {
	up   *place
	step string
}

func (p *place) path() (path []string) {
	for ; p != nil; p = p.up {
		path = append(path, p.step)
	}
	slices.Reverse(path)
	return path
}

func (c *Check) validate(s Schema, v any, at *place) (faults []Fault) {
	if s.IsFalse() {
		return []Fault{{at: at, Kind: Unwanted, Text: "is not allowed"}}
	}
	c.nested++
	defer func() { c.nested-- }()
	if s.Keywords() == nil || c.nested > mostNested && !c.Take(mostSteps+1) || !c.Take(1+s.listed()/listedPerStep) {
		return nil
	}
	add := func(more ...Fault) { faults = append(faults, more[:min(len(more), max(mostFaults-len(faults), 0))]...) }
	add(c.ofType(s, v, at)...)
	switch v := v.(type) {
	case string:
		add(c.text(s, v, at)...)
	case json.Number:
		add(number(s, v, at)...)
	case []any:
		add(c.list(s, v, at)...)
	case *Object:
		add(c.object(s, v, at)...)
	}
	for _, sub := range Certain(s) {
		add(c.validate(sub, v, at)...)
	}
	for _, keyword := range []string{"anyOf", "oneOf"} {
		var tried [][]Fault
		for _, sub := range s.Subs(keyword) {
			found := c.validate(sub, v, at)
			tried = append(tried, found)
			if len(found) == 0 {
				break
			}
		}
		add(nearest(tried, at)...)
	}
	return faults
}

func (c *Check) ofType(s Schema, v any, at *place) []Fault {
	if types := s.Types(); len(types) > 0 && !slices.ContainsFunc(types, func(t string) bool { return isType(t, v) }) {
		return []Fault{{at: at, Kind: WrongType, Got: v, Types: types, Text: "expected " + either(types)}}
	}
	const perStep = 4 // numbers are slow to compare
	values, listed := s.Values()
	if listed && len(values) <= MostValues && c.Take(len(values)/perStep) && !slices.ContainsFunc(values, func(one any) bool { return c.equal(one, v) }) {
		return []Fault{{at: at, Kind: WrongValue, Got: v, Values: values, Text: "expected " + Listed(values, room)}}
	}
	return nil
}

// isType reports whether a value has a type. 3.0 is an integer.
func isType(name string, v any) bool {
	of := TypeOf(v)
	if n, ok := v.(json.Number); ok && name == "integer" {
		f, ok := float(string(n))
		return ok && f == math.Trunc(f)
	}
	return of == name || of == "integer" && name == "number"
}

// float is a number, as near as it comes; ok is false for none, and for one that is too large.
func float(number string) (f float64, ok bool) {
	f, err := strconv.ParseFloat(number, 64)
	return f, err == nil
}

// equal reports whether two values are the same, 1 and 1.0 too. Lists and objects are not compared: any may be the
// same.
func (c *Check) equal(a, b any) bool {
	const perStep = 1000 // bytes of a text
	switch a := a.(type) {
	case string:
		other, ok := b.(string)
		return ok && len(a) == len(other) && c.Take(len(a)/perStep) && a == other
	case json.Number:
		other, ok := b.(json.Number)
		if !ok || a == other {
			return ok
		}
		x, known := float(string(a))
		y, alsoKnown := float(string(other))
		return known && alsoKnown && x == y
	case []any, *Object:
		return TypeOf(a) == TypeOf(b)
	}
	return TypeOf(a) == TypeOf(b) && a == b
}

func (c *Check) text(s Schema, v string, at *place) []Fault {
	const perStep = 1000
	if !c.Take(len(v) / perStep) {
		return nil
	}
	faults := count(s, "Length", "character", utf8.RuneCountInString(v), v, at)
	if source := s.Text("pattern"); source != "" && !c.matches(s, source, v) {
		faults = append(faults, wrong(at, v, "must match the pattern "+source))
	}
	return faults
}

func number(s Schema, v json.Number, at *place) []Fault {
	n, ok := float(string(v))
	if !ok {
		return nil
	}
	for _, b := range []struct {
		keyword, words string
		sign           int  // of the difference that is too small
		open           bool // the bound itself does not fit
	}{
		{"minimum", "at least", 1, false}, {"exclusiveMinimum", "more than", 1, true},
		{"maximum", "at most", -1, false}, {"exclusiveMaximum", "less than", -1, true},
	} {
		bound, ok := float(s.Number(b.keyword))
		if order := cmp.Compare(n, bound) * b.sign; ok && (order < 0 || order == 0 && b.open) {
			return []Fault{wrong(at, v, "must be "+b.words+" "+s.Number(b.keyword))}
		}
	}
	return nil
}

// count checks the bounds of how many characters or items there are.
func count(s Schema, suffix, unit string, n int, v any, at *place) []Fault {
	for _, b := range []struct {
		keyword, words string
		sign           int
	}{{"min" + suffix, "at least", 1}, {"max" + suffix, "at most", -1}} {
		bound, ok := float(s.Number(b.keyword))
		if ok && cmp.Compare(float64(n), bound)*b.sign < 0 {
			return []Fault{wrong(at, v, fmt.Sprintf("must have %s %s %s", b.words, s.Number(b.keyword), Plural(s.Number(b.keyword), unit)))}
		}
	}
	return nil
}

func (c *Check) list(s Schema, list []any, at *place) []Fault {
	faults := count(s, "Items", "item", len(list), list, at)
	for i, element := range list {
		if !c.Take(1) || len(faults) >= mostFaults {
			break
		}
		if sub, ok := s.Element(i); ok {
			faults = append(faults, c.validate(sub, element, &place{at, strconv.Itoa(i)})...)
		}
	}
	return faults
}

func (c *Check) object(s Schema, o *Object, at *place) (faults []Fault) {
	for _, name := range s.Strings("required") {
		if _, given := o.Values[name]; !given && len(faults) < mostFaults && c.Take(1) {
			faults = append(faults, Fault{at: &place{at, name}, Kind: Missing, Text: "is missing"})
		}
	}
	for _, key := range o.Keys {
		if !c.Take(1) || len(faults) >= mostFaults {
			break
		}
		faults = append(faults, c.validate(s.Property(key), o.Values[key], &place{at, key})...)
	}
	return faults
}

// pattern is a regular expression of a schema.
type pattern struct {
	*regexp.Regexp     // nil for one that is not understood, such as those of JavaScript that look ahead
	size           int // in instructions
}

// matches reports whether a text matches a pattern, or is not known not to.
func (c *Check) matches(s Schema, source, text string) bool {
	const perStep = 200
	p := s.doc.pattern(source)
	return p.Regexp == nil || !c.Take(1+len(text)*p.size/perStep) || p.MatchString(text)
}

// pattern compiles a pattern, unless it or all of them together are too large.
func (d *document) pattern(source string) pattern {
	const longest = 2048 // bytes; x{1000} alone is a thousand instructions
	const most = 200_000 // instructions; each takes some 100 bytes
	if p, known := d.patterns[source]; known || len(source) > longest || d.instructions > most {
		return p
	}
	var p pattern
	if parsed, err := syntax.Parse(source, syntax.Perl); err == nil {
		if program, err := syntax.Compile(parsed.Simplify()); err == nil {
			p.size = len(program.Inst)
			p.Regexp, _ = regexp.Compile(source)
		}
	}
	d.patterns[source] = p
	d.instructions += p.size + 50
	return p
}
