package schema

import "github.com/santhosh-tekuri/jsonschema/v6"

// mostSteps is how many steps one check may take. A schema can be written such that its steps double with every level of the value.
const mostSteps = 100_000

// steps counts the work of a check.
type steps struct{ left int }

// take takes so many steps, and reports whether there were enough left.
func (s *steps) take(n int) bool {
	s.left -= n
	return s.left >= 0
}

type exhausted struct{}

// burn takes steps where the library is to be broken off when there are none left: validate and compile recover.
func (s *steps) burn(n int) {
	if !s.take(n) {
		panic(exhausted{})
	}
}

// meter is a format that counts. The library asks formats before it looks further, so what goes on below is paid for beforehand: a step for
// each schema of the same value, and for each element or member what the dearest schema within takes to be turned down at once.
func (s *steps) meter(part *jsonschema.Schema) *jsonschema.Format {
	own, each := 1+len(part.Required)/16+len(part.DependentRequired), 1
	for _, sub := range InPlace(part) {
		own += glance(sub)
	}
	for _, sub := range inside(part) {
		each = max(each, glance(sub))
	}
	return &jsonschema.Format{Name: "steps", Validate: func(value any) error {
		s.burn(own + each*size(value))
		return nil
	}}
}

// glance is what it takes to see that a value is none of those that a schema lists, in steps.
func glance(part *jsonschema.Schema) int {
	const perStep = 4 // numbers are slow to compare
	switch {
	case part == nil:
		return 0
	case part.Enum == nil:
		return 1
	}
	return 1 + len(part.Enum.Values)/perStep
}

// size is how much of a value is looked at, not counting what is in its elements.
func size(value any) int {
	const perStep = 1000
	switch value := value.(type) {
	case map[string]any:
		return len(value)
	case []any:
		return len(value)
	case string:
		return len(value) / perStep
	}
	return 0
}
