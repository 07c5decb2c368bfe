package repair

import (
	"bytes"

	"github.com/aloudchat/aloud/internal/jsonschema"
	"github.com/aloudchat/aloud/internal/sanitize"
)

const white = " \t\r\n"

// parser parses values at the beginning of a text.
type parser struct {
	text     []byte // the rest
	out      bytes.Buffer
	depth    int
	lists    int  // number of open square brackets
	python   bool // no unquoted keys or unclosed brackets
	unclosed bool // a bracket was not closed
}

// space skips white space.
func (p *parser) space() { p.text = bytes.TrimLeft(p.text, white+"\u00a0\ufeff") }

// take skips white space and c, and reports whether c was next.
func (p *parser) take(c byte) bool {
	p.space()
	if len(p.text) == 0 || p.text[0] != c {
		return false
	}
	p.text = p.text[1:]
	return true
}

// value parses one value.
func (p *parser) value() bool {
	p.space()
	if len(p.text) == 0 || p.depth >= maxDepth {
		return false
	}
	p.depth++
	defer func() { p.depth-- }()
	switch c := p.text[0]; {
	case c == '{':
		return p.group("{}", '}', p.member)
	case c == '[':
		return p.group("[]", ']', p.value)
	case c == '(' && p.python:
		return p.group("[]", ')', p.value)
	case startsString(p.text):
		text, ok := p.str()
		p.out.Write(jsonschema.Encode(text))
		return ok
	}
	return p.atom()
}

// group parses an object or a list, with a function for its members, and writes it with other brackets.
func (p *parser) group(brackets string, closing byte, member func() bool) bool {
	if p.text = p.text[1:]; brackets == "[]" {
		p.lists++
		defer func() { p.lists-- }()
	}
	p.out.WriteByte(brackets[0])
	ok := p.members(closing, member)
	p.out.WriteByte(brackets[1])
	return ok
}

// member parses a name, a colon and a value.
func (p *parser) member() bool {
	key, ok := p.key()
	p.out.Write(jsonschema.Encode(key))
	p.out.WriteByte(':')
	return ok && p.take(':') && p.value()
}

// members parses members up to the closing bracket. Except in Python, brackets may not be closed, and commas be missing
// where that is no guess: not after a string, which may go on, and only before a quote or a bracket.
func (p *parser) members(closing byte, member func() bool) bool {
	comma := true
	for n := 0; ; n++ {
		if p.take(closing) {
			return true
		}
		switch {
		case len(p.text) == 0:
			p.unclosed = true
			return !p.python && !comma
		case p.closed():
			return true
		case !comma && (p.python || p.afterString() || !startsString(p.text) && p.text[0] != '{' && p.text[0] != '['):
			return false
		}
		if n > 0 {
			p.out.WriteByte(',')
		}
		if !member() {
			return false
		}
		comma = p.take(',')
	}
}

// afterString reports whether the last value was a string.
func (p *parser) afterString() bool { return bytes.HasSuffix(p.out.Bytes(), []byte(`"`)) }

// closed reports whether the bracket of an outer value comes next, which closes the inner ones too.
func (p *parser) closed() bool {
	next, objects := p.text[0], p.depth-p.lists
	return !p.python && (next == '}' && objects > 0 || next == ']' && p.lists > 0)
}

// key parses the name of a member, which may be unquoted.
func (p *parser) key() (string, bool) {
	p.space()
	if startsString(p.text) {
		return p.str()
	}
	name := bareKey().Find(p.text)
	p.text = p.text[len(name):]
	return string(name), len(name) > 0 && !p.python
}

var bareKey = sanitize.Pattern(`^[A-Za-z0-9_./$-]+`)

// atom parses a number, true, false or null, also in Python's form. Other unquoted words are not accepted, since it is
// unknown where they end.
func (p *parser) atom() bool {
	end := bytes.IndexAny(p.text, white+",)]}")
	if end < 0 {
		end = len(p.text)
	}
	text := string(p.text[:end])
	p.text = p.text[end:]
	switch text {
	case "True", "true":
		text = "true"
	case "False", "false":
		text = "false"
	case "None", "null", "undefined":
		text = "null"
	default:
		if len(p.text) == 0 && !p.python || !isNumber(text) {
			return false // it may be cut off
		}
	}
	p.out.WriteString(text)
	return true
}
