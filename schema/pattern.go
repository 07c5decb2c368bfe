package schema

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

// patterns are those of a schema. The library asks for each of them twice.
type patterns struct {
	steps *steps
	known map[string]*pattern // by source
	size  int                 // of all programs
}

// compile is the regexp engine of the library. It never fails.
func (all *patterns) compile(source string) (jsonschema.Regexp, error) {
	p := all.known[source]
	if p == nil {
		p = &pattern{source: source, steps: all.steps}
		all.known[source] = p
		all.program(p)
	}
	return p, nil
}

// program compiles a pattern, when all of them are not too large yet.
func (all *patterns) program(p *pattern) {
	const longest = 2048 // bytes; x{1000} alone is a thousand instructions
	const most = 200_000 // instructions; each takes some 100 bytes
	if len(p.source) > longest || all.size > most {
		return
	}
	parsed, err := syntax.Parse(p.source, syntax.Perl)
	if err != nil {
		return
	}
	program, err := syntax.Compile(parsed.Simplify())
	if err != nil {
		return
	}
	p.size = len(program.Inst)
	all.size += p.size
	if p.program, err = regexp.Compile(p.source); err != nil {
		p.program = nil
	}
}

func (p *pattern) String() string { return p.source }

// MatchString is for the library: it breaks off where it becomes too much.
func (p *pattern) MatchString(text string) bool {
	p.steps.burn(p.cost(text))
	return p.program == nil || p.program.MatchString(text)
}

// cost is what matching takes: time that grows with the text and with the pattern.
func (p *pattern) cost(text string) int {
	const perStep = 200
	return 1 + len(text)*p.size/perStep
}
