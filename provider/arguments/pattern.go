package arguments

import (
	"regexp"
	"regexp/syntax"

	"github.com/santhosh-tekuri/jsonschema/v6"
)

// pattern is a regular expression of a schema.
type pattern struct {
	source  string
	program *regexp.Regexp // nil for one that is not understood, such as those of JavaScript that look ahead: it accepts everything
	size    int            // of the program, in instructions
	steps   *steps
}

// pattern compiles a regular expression. It never fails.
func (s *steps) pattern(source string) (jsonschema.Regexp, error) {
	const longest = 4096         // bytes; x{1000} alone is a thousand instructions
	const mostPrograms = 500_000 // instructions in all patterns of a schema; each takes some 100 bytes
	p := &pattern{source: source, steps: s}
	if len(source) > longest || s.programs > mostPrograms {
		return p, nil
	}
	parsed, err := syntax.Parse(source, syntax.Perl)
	if err != nil {
		return p, nil
	}
	program, err := syntax.Compile(parsed.Simplify())
	if err != nil {
		return p, nil
	}
	p.size = len(program.Inst)
	s.programs += p.size
	if p.program, err = regexp.Compile(source); err != nil {
		p.program = nil
	}
	return p, nil
}

func (p *pattern) String() string { return p.source }

// MatchString is for the library: it breaks off where it becomes too much.
func (p *pattern) MatchString(text string) bool {
	p.steps.burn(p.cost(text))
	return p.program == nil || p.program.MatchString(text)
}

// cost is what matching takes: time that grows with the text and with the pattern.
func (p *pattern) cost(text string) int {
	const perStep = 2000
	return 1 + len(text)*p.size/perStep
}
