package jsonschema

import (
	"encoding/json"
	"fmt"
	"math/big"
	"slices"
	"strconv"
	"strings"
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
	for _, keyword := range []string{"type", "required", "dependentRequired", "dependencies", "allOf", "anyOf", "oneOf"} {
		switch value := s.Value(keyword).(type) {
		case []any:
			sum += len(value)
		case *Object:
			sum += len(value.Keys)
		}
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

// Validate says what is wrong with a value, at most some 200 faults. known is false when that would take too much work. Keywords that are
// not understood, such as patterns of other dialects, accept everything; formats and unevaluated members are not checked.
func (c *Check) Validate(s Schema, value any) (faults []Fault, known bool) {
	faults = c.validate(s, value, &place{})
	for i := range faults {
		faults[i].Path = faults[i].at.path()
	}
	return faults, c.Take(0)
}

// Fits reports whether a value is valid, or not known to be invalid.
func (c *Check) Fits(s Schema, value any) bool {
	faults, known := c.Validate(s, value)
	return len(faults) == 0 || !known
}

// place is where in a value a fault is.
type place struct {
	up    *place
	step  string
	depth int
}

func (p *place) at(step string) *place { return &place{p, step, p.depth + 1} }

func (p *place) path() []string {
	path := make([]string, p.depth)
	for ; p.up != nil; p = p.up {
		path[p.depth-1] = p.step
	}
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
	if target, ok := s.Ref(); ok {
		add(c.validate(target, v, at)...)
	}
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
	for _, sub := range s.Subs("allOf") {
		add(c.validate(sub, v, at)...)
	}
	add(c.forms(s, v, at)...)
	return faults
}

// forms checks the keywords that choose among schemas.
func (c *Check) forms(s Schema, v any, at *place) (faults []Fault) {
	for _, keyword := range []string{"anyOf", "oneOf"} {
		var tried [][]Fault
		fits := 0
		for _, sub := range s.Subs(keyword) {
			found := c.validate(sub, v, at)
			if len(found) == 0 {
				if fits++; keyword == "anyOf" {
					break
				}
			}
			tried = append(tried, found)
		}
		switch {
		case fits == 0:
			faults = append(faults, nearest(tried, at.depth)...)
		case fits > 1:
			faults = append(faults, wrong(at, v, "fits several of the forms it may have, and must fit one"))
		}
	}
	if sub, ok := s.Sub("not"); ok && c.Take(0) && len(c.validate(sub, v, at)) == 0 && c.Take(0) {
		faults = append(faults, wrong(at, v, "is what it must not be"))
	}
	if sub, ok := s.Sub("if"); ok {
		branch := "then"
		if len(c.validate(sub, v, at)) > 0 {
			branch = "else"
		}
		if sub, ok := s.Sub(branch); ok {
			faults = append(faults, c.validate(sub, v, at)...)
		}
	}
	return faults
}

func (c *Check) ofType(s Schema, v any, at *place) []Fault {
	if types := s.Types(); len(types) > 0 && !slices.ContainsFunc(types, func(t string) bool { return isType(t, v) }) {
		return []Fault{{at: at, Kind: WrongType, Got: v, Types: types, Text: expected(types, nil)}}
	}
	const perStep = 4 // numbers are slow to compare
	values, listed := s.Values()
	if listed && len(values) <= MostValues && c.Take(len(values)/perStep) && !slices.ContainsFunc(values, func(one any) bool { return c.equal(one, v) }) {
		return []Fault{{at: at, Kind: WrongValue, Got: v, Values: values, Text: expected(nil, values)}}
	}
	return nil
}

// isType reports whether a value has a type. 3.0 is an integer.
func isType(name string, v any) bool {
	of := TypeOf(v)
	if n, ok := v.(json.Number); ok && name == "integer" {
		r, ok := rat(string(n))
		return ok && r.IsInt()
	}
	return of == name || of == "integer" && name == "number"
}

func rat(number string) (*big.Rat, bool) {
	if number == "" {
		return nil, false
	}
	return new(big.Rat).SetString(number)
}

// equal reports whether two values are the same, 1 and 1.0 too.
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
		x, _ := rat(string(a))
		y, _ := rat(string(other))
		return x != nil && y != nil && x.Cmp(y) == 0
	case []any:
		other, ok := b.([]any)
		return ok && len(a) == len(other) && c.Take(len(a)/listedPerStep) && slices.EqualFunc(a, other, c.equal)
	case *Object:
		other, ok := b.(*Object)
		if !ok || len(a.Keys) != len(other.Keys) || !c.Take(len(a.Keys)/listedPerStep) {
			return false
		}
		for key, value := range a.Values {
			if theirs, has := other.Values[key]; !has || !c.equal(value, theirs) {
				return false
			}
		}
		return true
	}
	switch b.(type) {
	case []any, *Object:
		return false
	}
	return a == b
}

func (c *Check) text(s Schema, v string, at *place) []Fault {
	const perStep = 1000
	if !c.Take(len(v) / perStep) {
		return nil
	}
	faults := count(s, "Length", "character", utf8.RuneCountInString(v), v, at)
	if source := s.Text("pattern"); source != "" && !c.matches(s, source, v, true) {
		faults = append(faults, wrong(at, v, "must match the pattern "+source))
	}
	return faults
}

func number(s Schema, v json.Number, at *place) []Fault {
	n, ok := rat(string(v))
	if !ok {
		return nil
	}
	say := func(what, bound string) []Fault { return []Fault{wrong(at, v, what+" "+bound)} }
	for _, b := range []struct{ keyword, exclusive, least, more string }{
		{"minimum", "exclusiveMinimum", "must be at least", "must be more than"},
		{"maximum", "exclusiveMaximum", "must be at most", "must be less than"},
	} {
		sign := 1
		if b.keyword == "maximum" {
			sign = -1
		}
		if bound, ok := rat(s.Number(b.keyword)); ok && n.Cmp(bound)*sign < 0 {
			return say(b.least, s.Number(b.keyword))
		} else if ok && s.True(b.exclusive) && n.Cmp(bound) == 0 { // as before 2019
			return say(b.more, s.Number(b.keyword))
		}
		if bound, ok := rat(s.Number(b.exclusive)); ok && n.Cmp(bound)*sign <= 0 {
			return say(b.more, s.Number(b.exclusive))
		}
	}
	if of, ok := rat(s.Number("multipleOf")); ok && of.Sign() > 0 && !new(big.Rat).Quo(n, of).IsInt() {
		return say("must be a multiple of", s.Number("multipleOf"))
	}
	return nil
}

// count checks the bounds of how many there are: of characters, items, members.
func count(s Schema, suffix, unit string, n int, v any, at *place) []Fault {
	for _, b := range []struct {
		keyword, words string
		sign           int
	}{{"min" + suffix, "must have at least", 1}, {"max" + suffix, "must have at most", -1}} {
		bound, ok := rat(s.Number(b.keyword))
		if ok && new(big.Rat).SetInt64(int64(n)).Cmp(bound)*b.sign < 0 {
			return []Fault{wrong(at, v, fmt.Sprintf("%s %s %s", b.words, s.Number(b.keyword), Plural(s.Number(b.keyword), unit)))}
		}
	}
	return nil
}

// Plural is a unit for a number of them.
func Plural(number, unit string) string {
	if number == "1" {
		return unit
	}
	return unit + "s"
}

func (c *Check) list(s Schema, list []any, at *place) []Fault {
	faults := count(s, "Items", "item", len(list), list, at)
	for i, element := range list {
		if !c.Take(1) || len(faults) >= mostFaults {
			return faults
		}
		if sub, ok := s.Element(i); ok {
			faults = append(faults, c.validate(sub, element, at.at(strconv.Itoa(i)))...)
		}
	}
	if s.True("uniqueItems") && len(list) > 1 {
		const perStep = 1000 // bytes
		seen := map[string]bool{}
		for _, element := range list {
			encoded := Encode(element)
			if !c.Take(1 + len(encoded)/perStep) {
				return faults
			}
			seen[string(encoded)] = true
		}
		if len(seen) < len(list) {
			faults = append(faults, wrong(at, list, "must not have the same item twice"))
		}
	}
	return faults
}

func (c *Check) object(s Schema, o *Object, at *place) []Fault {
	faults := count(s, "Properties", "member", len(o.Keys), o, at)
	required := s.Strings("required")
	for _, keyword := range []string{"dependentRequired", "dependencies"} {
		dependents, _ := s.Value(keyword).(*Object)
		if dependents == nil {
			continue
		}
		for _, key := range dependents.Keys {
			if _, given := o.Values[key]; given && c.Take(len(s.With(dependents).List(key))/listedPerStep) {
				required = append(required, s.With(dependents).Strings(key)...)
			}
		}
	}
	for _, name := range required {
		if _, given := o.Values[name]; !given && len(faults) < mostFaults && c.Take(1) {
			faults = append(faults, Fault{at: at.at(name), Kind: Missing, Text: "is missing"})
		}
	}
	names, named := s.Sub("propertyNames")
	for _, key := range o.Keys {
		if !c.Take(1+len(required)/16) || len(faults) >= mostFaults {
			return faults
		}
		if named && len(c.validate(names, key, at)) > 0 {
			faults = append(faults, Fault{at: at.at(key), Kind: Unwanted, Text: "is not allowed as a name"})
		}
		for _, sub := range c.MemberSchemas(s, key) {
			faults = append(faults, c.validate(sub, o.Values[key], at.at(key))...)
		}
	}
	return faults
}

// MemberSchemas are the schemas of a member by its name: those of the property and of patterns, else of additional members.
func (c *Check) MemberSchemas(s Schema, name string) []Schema {
	var all []Schema
	if sub, ok := s.Member("properties", name); ok {
		all = append(all, sub)
	}
	odd := false
	if patterns, ok := s.Value("patternProperties").(*Object); ok && !c.Take(len(patterns.Keys)/listedPerStep) {
		return all
	}
	for _, m := range s.Members("patternProperties") {
		if c.matches(s, m.Name, name, false) {
			all = append(all, m.Schema)
		}
		odd = odd || s.doc.patterns.compile(m.Name).program == nil
	}
	if sub, ok := s.Sub("additionalProperties"); ok && len(all) == 0 && !odd {
		all = append(all, sub)
	}
	return all
}

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

// expected names types or values to choose from, as many as fit.
func expected(types []string, values []any) string {
	const room = 90
	if len(types) > 0 {
		return "expected " + strings.Join(InOrder(types), " or ")
	}
	return "expected " + Listed(values, room)
}

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

// nearest are the faults of the form that a value comes nearest to. If all forms want another type, or another value, they are one fault.
func nearest(forms [][]Fault, depth int) []Fault {
	var best []Fault
	var types []string
	var values []any
	score := 0
	for _, faults := range forms {
		if len(faults) == 1 && faults[0].at.depth == depth {
			types = append(types, faults[0].Types...)
			values = append(values, faults[0].Values...)
		}
		if s := distance(faults, depth); best == nil || s < score {
			best, score = faults, s
		}
	}
	if len(best) != 1 || best[0].at.depth != depth {
		return best
	}
	one := best[0]
	switch one.Kind {
	case WrongType:
		one.Types, one.Text = types, expected(types, nil)
	case WrongValue:
		one.Values, one.Text = values, expected(nil, values)
	}
	return []Fault{one}
}

// distance weighs faults: most of all that the value is of another type altogether, or that a member which tells the forms apart says
// another one.
func distance(faults []Fault, depth int) int {
	sum := 0
	for _, f := range faults {
		switch {
		case f.Kind == WrongType && f.at.depth == depth:
			sum += 103
		case f.Kind == WrongType:
			sum += 3
		case f.Kind == WrongValue:
			sum += 10
		case f.Kind == Unwanted:
			sum += 5
		default:
			sum += 2
		}
	}
	return sum
}
