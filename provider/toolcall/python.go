package toolcall

import (
	"bytes"
	"encoding/json"
	"strings"
)

// pythonName is the name of the tool in the name of what is called: Llama 3 writes name.call(…).
func pythonName(name []byte) string { return strings.TrimSuffix(string(name), ".call") }

// pythonCalls reads name(x="value", n=3), or a list of these.
func (s *scanner) pythonCalls(text []byte) []Call {
	text = bytes.TrimSpace(text)
	if inside, ok := bytes.CutPrefix(text, []byte("[")); ok {
		text, ok = bytes.CutSuffix(inside, []byte("]"))
		if !ok {
			return nil
		}
	}
	p := python{text: text}
	var calls []Call
	for {
		p.skip(white + ",")
		if len(p.text) == 0 {
			return calls
		}
		name, next, _ := nameAt(p.text)
		tool := pythonName(name)
		if next != '(' || !s.known(tool) {
			return nil
		}
		p.text = p.text[len(name)+1:]
		arguments, ok := p.arguments()
		if !ok {
			return nil
		}
		calls = append(calls, Call{tool, arguments})
	}
}

// python reads the literals of Python.
type python struct {
	text  []byte
	depth int
}

func (p *python) skip(set string) { p.text = bytes.TrimLeft(p.text, set) }

// take drops c when it is next.
func (p *python) take(c byte) bool {
	p.skip(white)
	if len(p.text) == 0 || p.text[0] != c {
		return false
	}
	p.text = p.text[1:]
	return true
}

// arguments reads what is between the parentheses as a JSON object.
func (p *python) arguments() (json.RawMessage, bool) {
	var out writer
	out.WriteByte('{')
	for !p.take(')') {
		if out.Len() > 1 {
			if !p.take(',') {
				return nil, false
			}
			if p.take(')') {
				break
			}
			out.WriteByte(',')
		}
		p.skip(white)
		name, next, _ := nameAt(p.text)
		if len(name) == 0 || next != '=' && !space(next) {
			return nil, false
		}
		p.text = p.text[len(name):]
		if !p.take('=') {
			return nil, false
		}
		out.string(string(name))
		out.WriteByte(':')
		if !p.value(&out) {
			return nil, false
		}
	}
	out.WriteByte('}')
	return out.Bytes(), true
}

// value reads a literal and writes it as JSON.
func (p *python) value(out *writer) bool {
	const deep = 64
	p.skip(white)
	if len(p.text) == 0 || p.depth > deep {
		return false
	}
	p.depth++
	defer func() { p.depth-- }()
	switch c := p.text[0]; c {
	case '"', '\'':
		text, ok := p.str()
		out.string(text)
		return ok
	case '[', '(':
		return p.list(out, c)
	case '{':
		return p.dict(out)
	}
	return p.atom(out)
}

// list reads a list or a tuple.
func (p *python) list(out *writer, opening byte) bool {
	closing := byte(']')
	if opening == '(' {
		closing = ')'
	}
	p.text = p.text[1:]
	out.WriteByte('[')
	for n := 0; !p.take(closing); n++ {
		if n > 0 {
			if !p.take(',') {
				return false
			}
			if p.take(closing) {
				break
			}
			out.WriteByte(',')
		}
		if !p.value(out) {
			return false
		}
	}
	out.WriteByte(']')
	return true
}

func (p *python) dict(out *writer) bool {
	p.text = p.text[1:]
	out.WriteByte('{')
	for n := 0; !p.take('}'); n++ {
		if n > 0 {
			if !p.take(',') {
				return false
			}
			if p.take('}') {
				break
			}
			out.WriteByte(',')
		}
		p.skip(white)
		key, ok := p.str()
		if !ok || !p.take(':') {
			return false
		}
		out.string(key)
		out.WriteByte(':')
		if !p.value(out) {
			return false
		}
	}
	out.WriteByte('}')
	return true
}

// atom reads a number, True, False or None, in the words of JSON as well.
func (p *python) atom(out *writer) bool {
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
	case "None", "null":
		text = "null"
	default:
		if !isNumber(text) {
			return false
		}
	}
	out.WriteString(text)
	return true
}

// str reads a string with either quote, once or three times.
func (p *python) str() (string, bool) {
	if len(p.text) == 0 || p.text[0] != '"' && p.text[0] != '\'' {
		return "", false
	}
	quote := string(p.text[:1])
	if triple := strings.Repeat(quote, 3); bytes.HasPrefix(p.text, []byte(triple)) {
		quote = triple
	}
	p.text = p.text[len(quote):]
	var out strings.Builder
	for len(p.text) > 0 {
		switch {
		case bytes.HasPrefix(p.text, []byte(quote)):
			p.text = p.text[len(quote):]
			return out.String(), true
		case p.text[0] == '\\' && len(p.text) > 1:
			p.escape(&out)
		default:
			out.WriteByte(p.text[0])
			p.text = p.text[1:]
		}
	}
	return "", false
}

// escape reads one escape. One that is none keeps its backslash, as in Python.
func (p *python) escape(out *strings.Builder) {
	c := p.text[1]
	switch at := strings.IndexByte(`nrt\'"`, c); {
	case at >= 0:
		out.WriteByte("\n\r\t\\'\""[at])
		p.text = p.text[2:]
	case c == 'u' && len(p.text) >= 6 && unicodeEscape(p.text[:6], out):
		p.text = p.text[6:]
	default:
		out.WriteByte('\\')
		p.text = p.text[1:]
	}
}

// unicodeEscape writes the rune of a \uXXXX, half of a pair as it is.
func unicodeEscape(escape []byte, out *strings.Builder) bool {
	var text string
	if json.Unmarshal([]byte(`"`+string(escape)+`"`), &text) != nil {
		return false
	}
	out.WriteString(text)
	return true
}
