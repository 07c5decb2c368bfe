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

// Limits of a Check. The work for a hostile schema can double with every level of a value.
const (
	mostSteps  = 100_000
	mostNested = 2000 // nested parts of the schema
	mostFaults = 200
)

// MostValues is the maximum length of a list of allowed values. A longer list allows everything.
const MostValues = 5000

// listedPerStep is how many items of lists count as one step.
const listedPerStep = 16

// listed returns the number of items in the lists that a validation iterates over.
func (s Schema) listed() (sum int) {
	for _, keyword := range []string{"type", "required", "allOf", "anyOf", "oneOf"} {
		sum += len(s.List(keyword))
	}
	return sum
}

// Check validates values with a shared budget of steps. The zero value is ready to use.
type Check struct{ spent, nested int }

// Take spends n steps and reports whether the budget had enough left.
func (c *Check) Take(n int) bool {
	c.spent += n
	return c.spent <= mostSteps
}

// Validate returns about 200 faults of a value at most. known is false if the budget was used up.
//
// It checks the keywords that schemas of tools and forms use: types, enum, const, properties, required,
// additionalProperties, items, prefixItems, allOf, anyOf, local references, bounds and patterns. It treats oneOf like
// anyOf. A required property with a default may be missing. All other keywords, and patterns with unsupported syntax,
// accept everything.
func (c *Check) Validate(s Schema, value any) (faults []Fault, known bool) {
	faults = c.validate(s, value, nil)
	for i, f := range faults {
		faults[i].Path = f.at.path()
	}
	return faults, c.Take(0)
}

// Fits reports whether a value is not known to be invalid.
func (c *Check) Fits(s Schema, value any) bool {
	faults, known := c.Validate(s, value)
	return len(faults) == 0 || !known
}

// position is a position in a value, nil for the value itself.
type position struct {
	up   *position
	step string
}

func (p *position) path() (path []string) {
	for ; p != nil; p = p.up {
		path = append(path, p.step)
	}
	slices.Reverse(path)
	return path
}

func (c *Check) validate(s Schema, v any, at *position) (faults []Fault) {
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
	for _, sub := range Implied(s) {
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

func (c *Check) ofType(s Schema, v any, at *position) []Fault {
	if types := s.Types(); len(types) > 0 && !slices.ContainsFunc(types, func(t string) bool { return isType(t, v) }) {
		return []Fault{{at: at, Kind: WrongType, Got: v, Types: types, Text: "expected " + either(types)}}
	}
	const perStep = 4 // comparing numbers is slow
	values, listed := s.Values()
	isAllowed := func(one any) bool { return c.equal(one, v) }
	if listed && len(values) <= MostValues && c.Take(len(values)/perStep) && !slices.ContainsFunc(values, isAllowed) {
		return []Fault{{at: at, Kind: WrongValue, Got: v, Values: values, Text: "expected " + Listed(values, maxListed)}}
	}
	return nil
}

// isType reports whether a value has a type. 3.0 counts as an integer.
func isType(name string, v any) bool {
	of := TypeOf(v)
	if n, ok := v.(json.Number); ok && name == "integer" {
		f, ok := float(string(n))
		return ok && f == math.Trunc(f)
	}
	return of == name || of == "integer" && name == "number"
}

// float parses a number. ok is false if it is invalid or too large.
func float(number string) (f float64, ok bool) {
	f, err := strconv.ParseFloat(number, 64)
	return f, err == nil
}

// equal reports whether two values may be equal. It does not compare the content of arrays and objects.
func (c *Check) equal(a, b any) bool {
	const perStep = 1000 // bytes
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

func (c *Check) text(s Schema, v string, at *position) []Fault {
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

func number(s Schema, v json.Number, at *position) []Fault {
	n, ok := float(string(v))
	if !ok {
		return nil
	}
	for _, b := range []struct {
		keyword, words string
		sign           int  // 1 for a lower bound, -1 for an upper bound
		open           bool // exclusive
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

// count checks the bounds of the number of characters or items.
func count(s Schema, suffix, unit string, n int, v any, at *position) []Fault {
	for _, b := range []struct {
		keyword, words string
		sign           int
	}{{"min" + suffix, "at least", 1}, {"max" + suffix, "at most", -1}} {
		bound, ok := float(s.Number(b.keyword))
		if ok && cmp.Compare(float64(n), bound)*b.sign < 0 {
			number := s.Number(b.keyword)
			if number != "1" {
				unit += "s"
			}
			return []Fault{wrong(at, v, fmt.Sprintf("must have %s %s %s", b.words, number, unit))}
		}
	}
	return nil
}

func (c *Check) list(s Schema, list []any, at *position) []Fault {
	faults := count(s, "Items", "item", len(list), list, at)
	for i, element := range list {
		if !c.Take(1) || len(faults) >= mostFaults {
			break
		}
		if sub, ok := s.Element(i); ok {
			faults = append(faults, c.validate(sub, element, &position{at, strconv.Itoa(i)})...)
		}
	}
	return faults
}

func (c *Check) object(s Schema, o *Object, at *position) (faults []Fault) {
	for _, name := range s.Required() {
		if _, given := o.Values[name]; !given && len(faults) < mostFaults && c.Take(1) {
			faults = append(faults, Fault{at: &position{at, name}, Kind: Missing, Text: "is missing"})
		}
	}
	for _, key := range o.Keys {
		if !c.Take(1) || len(faults) >= mostFaults {
			break
		}
		faults = append(faults, c.validate(s.Property(key), o.Values[key], &position{at, key})...)
	}
	return faults
}

// pattern is a compiled regular expression.
type pattern struct {
	*regexp.Regexp     // nil if unsupported, such as lookahead
	size           int // in compiled instructions
}

// matches reports whether text may match a pattern.
func (c *Check) matches(s Schema, source, text string) bool {
	const perStep = 200
	p := s.doc.pattern(source)
	return p.Regexp == nil || !c.Take(1+len(text)*p.size/perStep) || p.MatchString(text)
}

// pattern compiles a pattern, unless the patterns of the document become too large.
func (d *document) pattern(source string) pattern {
	const longest = 2048 // bytes, but x{1000} compiles to a thousand instructions
	const most = 200_000 // instructions of about 100 bytes
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
