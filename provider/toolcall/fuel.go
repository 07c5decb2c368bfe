package toolcall

import (
	"regexp"
	"regexp/syntax"

	"github.com/santhosh-tekuri/jsonschema/v6"
)

// tank is how many steps one check may take. A schema can be written such that its steps double with every level of the arguments.
const tank = 200_000

// fuel is what is left of the steps. As an extension of a schema it is asked at every value.
type fuel struct{ left int }

type exhausted struct{}

// burn takes steps, and breaks off when there are none left.
func (f *fuel) burn(steps int) {
	if f.left -= steps; f.left < 0 {
		panic(exhausted{}) // validate recovers it
	}
}

// Validate is part of jsonschema.SchemaExt.
func (f *fuel) Validate(*jsonschema.ValidatorContext, any) { f.burn(1) }

// pattern is a regular expression of a schema.
type pattern struct {
	source  string
	program *regexp.Regexp // nil for one that Go does not know, such as those of JavaScript that look ahead
	size    int            // of the program, in instructions
	fuel    *fuel
}

// pattern compiles a regular expression. It never fails: one that is not understood accepts everything.
func (f *fuel) pattern(source string) (jsonschema.Regexp, error) {
	p := &pattern{source: source, fuel: f}
	parsed, err := syntax.Parse(source, syntax.Perl)
	if err != nil {
		return p, nil
	}
	program, err := syntax.Compile(parsed.Simplify())
	if err != nil {
		return p, nil
	}
	p.size = len(program.Inst)
	if p.program, err = regexp.Compile(source); err != nil {
		p.program = nil
	}
	return p, nil
}

func (p *pattern) String() string { return p.source }

// MatchString takes time that grows with the text and with the pattern.
func (p *pattern) MatchString(s string) bool {
	const perStep = 2000
	p.fuel.burn(1 + len(s)*p.size/perStep)
	return p.program == nil || p.program.MatchString(s)
}
