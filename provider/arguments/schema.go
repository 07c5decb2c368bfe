package arguments

import (
	"encoding/json"
	"errors"
	"fmt"

	"github.com/santhosh-tekuri/jsonschema/v6"
)

// schema is a compiled schema, and what looking at one value may cost.
type schema struct {
	root  *jsonschema.Schema
	steps *steps
}

// compile compiles the schema of a tool's arguments. It is nil for one that is none, does not compile, or is too large to be looked at:
// the server knows better what it takes than a schema that nobody understands.
func compile(raw json.RawMessage) (compiled *schema) {
	value, ok := decode(raw)
	document, isObject := value.(map[string]any)
	if !ok || !isObject || len(document) == 0 || !affordable(document) {
		return nil
	}
	defer func() {
		if recover() != nil {
			compiled = nil // a schema that the library cannot bear is not understood either
		}
	}()
	s := &schema{steps: &steps{left: mostSteps}}
	compiler := jsonschema.NewCompiler()
	compiler.DefaultDraft(jsonschema.Draft2020)
	compiler.UseLoader(refusal{})
	compiler.UseRegexpEngine((&patterns{steps: s.steps, known: map[string]*pattern{}}).compile)
	const here = "aloud:arguments"
	if compiler.AddResource(here, document) != nil {
		return nil
	}
	root, err := compiler.Compile(here)
	if err != nil {
		return nil
	}
	s.root = root
	s.steps.relax(root)
	return s
}

// refusal loads nothing: a schema of a server has no business with our disk and network.
type refusal struct{}

func (refusal) Load(location string) (any, error) {
	return nil, fmt.Errorf("the schema refers to %q, which is no part of it", location)
}

// errUnknown says that validating came to no end.
var errUnknown = errors.New("the schema asks for more work than its tool is worth")

// validate says what is wrong with a value. The library cannot be told to stop, but by a panic out of what it calls of ours; and one of its
// own would not be a reason to end the program either.
func (s *schema) validate(part *jsonschema.Schema, value any) (err error) {
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
