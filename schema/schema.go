// Package schema holds values against JSON Schemas that strangers wrote. Whatever these ask for, it takes little time and memory, loads nothing, and
// does not end the program.
//
// Read schema.go first. bounds.go and steps.go have what may be spent, relax.go what is not insisted on, pattern.go the regular expressions, parts.go
// the way from one part of a schema to others, and faults.go what is wrong with a value.
package schema

import (
	"encoding/json"
	"errors"
	"fmt"

	"github.com/santhosh-tekuri/jsonschema/v6"
)

// Schema is a compiled schema, and what looking at one value may cost. It is for one goroutine.
type Schema struct {
	Root  *jsonschema.Schema
	steps *steps
}

// Largest is how many bytes a schema may have.
const Largest = 2 << 20

// Compile compiles a schema. It is nil for one that is none, does not compile, or is too large to be looked at: who wrote it knows better what fits
// than a schema that nobody understands.
func Compile(raw json.RawMessage) *Schema { return compile(raw, 1) }

// CompileSmall is Compile for a schema that is used for one value: all but the large ones, which take longer than some hundredths of a second.
func CompileSmall(raw json.RawMessage) *Schema { return compile(raw, 20) }

// compile keeps to a share of the bounds of bounds.go: 20 is a twentieth.
func compile(raw json.RawMessage, share int) (compiled *Schema) {
	if len(raw) > Largest {
		return nil
	}
	value, ok := Decode(raw)
	document, isObject := value.(map[string]any)
	if !ok || !isObject || len(document) == 0 || !affordable(document, share) {
		return nil
	}
	defer func() {
		if recover() != nil {
			compiled = nil // a schema that the library cannot bear is not understood either
		}
	}()
	s := &Schema{steps: &steps{left: mostSteps}}
	compiler := jsonschema.NewCompiler()
	compiler.DefaultDraft(jsonschema.Draft2020)
	compiler.UseLoader(refusal{})
	compiler.UseRegexpEngine((&patterns{steps: s.steps, known: map[string]*pattern{}}).compile)
	const here = "aloud:schema"
	if compiler.AddResource(here, document) != nil {
		return nil
	}
	root, err := compiler.Compile(here)
	if err != nil {
		return nil
	}
	s.Root = root
	s.steps.relax(root)
	return s
}

// refusal loads nothing: a schema of a server has no business with our disk and network.
type refusal struct{}

func (refusal) Load(location string) (any, error) {
	return nil, fmt.Errorf("the schema refers to %q, which is no part of it", location)
}

// errUnknown says that validating came to no end.
var errUnknown = errors.New("the schema asks for more work than its values are worth")

// Begin begins with a value: all that is done with it until the next one shares a budget.
func (s *Schema) Begin() { s.steps.left = mostSteps }

// Take takes so many steps of work with the value, and reports whether there were enough left.
func (s *Schema) Take(n int) bool { return s.steps.take(n) }

// Understood reports whether an error of Validate is one of the value, not of the schema.
func Understood(err error) bool { return !errors.Is(err, errUnknown) && !circular(err) }

// Matches reports whether a text is known to match a pattern of the schema.
func (s *Schema) Matches(one jsonschema.Regexp, text string) bool {
	p, ok := one.(*pattern)
	return ok && s.steps.take(p.cost(text)) && p.program.MatchString(text)
}

// Validate says what is wrong with a value, or a part of it, by a part of the schema; Faults tells more. The library cannot be told to stop, but by a
// panic out of what it calls of ours; and one of its own would not be a reason to end the program either.
func (s *Schema) Validate(part *jsonschema.Schema, value any) (err error) {
	if !s.steps.take(glance(part)) {
		return errUnknown
	}
	defer func() {
		if recover() != nil {
			err = errUnknown
		}
	}()
	return part.Validate(value)
}
