package jsonschema

import (
	"regexp"
	"regexp/syntax"
)

// pattern is a regular expression of a schema.
type pattern struct {
	program *regexp.Regexp // nil for one that is not understood, such as those of JavaScript that look ahead
	size    int            // in instructions
}

// unknown is every pattern for which there is no room.
var unknown pattern

// patterns are those of a document.
type patterns struct {
	known map[string]*pattern
	size  int // of all programs
}

// compile compiles a pattern, unless all of them are too large.
func (all *patterns) compile(source string) *pattern {
	const longest = 2048 // bytes; x{1000} alone is a thousand instructions
	const most = 200_000 // instructions; each takes some 100 bytes
	const perPattern = 50
	if p := all.known[source]; p != nil {
		return p
	}
	if len(source) > longest || all.size > most {
		return &unknown
	}
	p := &pattern{}
	all.known[source] = p
	all.size += perPattern
	parsed, err := syntax.Parse(source, syntax.Perl)
	if err != nil {
		return p
	}
	program, err := syntax.Compile(parsed.Simplify())
	if err != nil {
		return p
	}
	p.size = len(program.Inst)
	all.size += p.size
	if p.program, err = regexp.Compile(source); err != nil {
		p.program = nil
	}
	return p
}

// matches reports whether a text matches; otherwise is the answer when that is not understood.
func (c *Check) matches(s Schema, source, text string, otherwise bool) bool {
	const perStep = 200
	p := s.doc.patterns.compile(source)
	if p.program == nil || !c.Take(1+len(text)*p.size/perStep) {
		return otherwise
	}
	return p.program.MatchString(text)
}
