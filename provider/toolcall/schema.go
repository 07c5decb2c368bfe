package toolcall

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"regexp/syntax"

	"github.com/santhosh-tekuri/jsonschema/v6"
)

// schemaLimit is the size in bytes of the largest schema that is used. No tool of a person's own hand comes near.
const schemaLimit = 2 << 20

// compile compiles the schema of a tool's arguments. It is nil for one that is none, does not compile, or accepts every object anyway:
// the server knows better what it takes than a schema that nobody understands.
func compile(raw json.RawMessage) *jsonschema.Schema {
	raw = bytes.TrimSpace(raw)
	if len(raw) == 0 || len(raw) > schemaLimit || raw[0] != '{' || !modest(raw) {
		return nil
	}
	document, err := decode(raw)
	if fields, ok := document.(map[string]any); err != nil || !ok || len(fields) == 0 {
		return nil
	}
	const here = "aloud:arguments"
	compiler := jsonschema.NewCompiler()
	compiler.DefaultDraft(jsonschema.Draft2020)
	compiler.UseLoader(refusal{})
	compiler.UseRegexpEngine(engine)
	if compiler.AddResource(here, document) != nil {
		return nil
	}
	compiled, err := compiler.Compile(here)
	if err != nil {
		return nil
	}
	relax(compiled, map[*jsonschema.Schema]bool{})
	return compiled
}

// refusal loads nothing: a schema of a server has no business with our disk and network.
type refusal struct{}

func (refusal) Load(location string) (any, error) {
	if u, err := url.Parse(location); err == nil {
		location = u.Redacted()
	}
	return nil, fmt.Errorf("the schema refers to %q, and only its own parts are looked at", location)
}

// decode reads JSON and keeps the digits of its numbers.
func decode(raw []byte) (any, error) {
	decoder := json.NewDecoder(bytes.NewReader(raw))
	decoder.UseNumber()
	var value any
	if err := decoder.Decode(&value); err != nil {
		return nil, err
	}
	if decoder.More() {
		return nil, errors.New("there is something behind the JSON")
	}
	return value, nil
}

// pattern is one of a schema. A nil program is one that Go does not know, as those of JavaScript that look ahead.
type pattern struct {
	source  string
	program matcher
	size    int // of the program, in instructions
}

type matcher interface{ MatchString(s string) bool }

// MatchString accepts what would take too long to match.
func (p *pattern) MatchString(s string) bool {
	const steps = 20_000_000 // a few tenths of a second
	return p.program == nil || len(s) > steps/(p.size+1) || p.program.MatchString(s)
}

func (p *pattern) String() string { return p.source }

// engine compiles a pattern. It never fails: a pattern that cannot be understood accepts everything.
func engine(source string) (jsonschema.Regexp, error) {
	p := &pattern{source: source}
	parsed, err := syntax.Parse(source, syntax.Perl)
	if err != nil {
		return p, nil
	}
	program, err := syntax.Compile(parsed.Simplify())
	if err != nil {
		return p, nil
	}
	p.size = len(program.Inst)
	p.program = compilePattern(source)
	return p, nil
}
