package repair

import (
	"bytes"
	"encoding/json"
	"strings"
)

// xmlBody is what is known of the parameters of a call in XML, as Qwen3-Coder writes them.
type xmlBody struct {
	value    bool // in the value of a parameter
	searched int  // the end of the value is not before it
}

// function reads the opening tag of a call in XML.
func (s *scanner) function(rest []byte, final bool) step {
	length, how := tagLength(rest, final)
	if how != on {
		return how
	}
	name := tagValue(rest[len(xmlOpening) : length-1])
	if !s.known(name) {
		return never
	}
	s.name, s.start, s.pos = name, s.pos, s.pos+length
	s.in = (*scanner).afterFunction
	return on
}

// tagLength is how long the tag at the beginning is.
func tagLength(rest []byte, final bool) (int, step) {
	end := bytes.IndexByte(rest[:min(len(rest), nameLimit)], '>')
	switch {
	case end >= 0:
		return end + 1, on
	case len(rest) >= nameLimit:
		return 0, never
	}
	return 0, waitUnless(final)
}

// tagValue is what follows the = in a tag. Some models put quotes around it.
func tagValue(raw []byte) string { return string(bytes.Trim(raw, ` "'`)) }

// afterFunction tells by what follows the opening tag how the arguments are written.
func (s *scanner) afterFunction(final bool) step {
	s.skip(white)
	switch {
	case s.pos == len(s.text) && !final:
		return wait
	case s.pos < len(s.text) && s.text[s.pos] == '{':
		return s.begin(namedItem, s.pos, (*scanner).inJSON)
	}
	return s.begin(xmlItem, s.pos, (*scanner).inXML)
}

const (
	parameterOpening = "<parameter="
	parameterClosing = "</parameter>"
)

// bodyEnds are the tags that end a call, or begin the next. They are left to be read between the items.
var bodyEnds = []string{"</function>", "</tool_call>", "</tool_calls>", "<tool_call>", xmlOpening, "```"}

// inXML reads on between the parameters of a call, and in their values.
func (s *scanner) inXML(final bool) step {
	if s.xml.value {
		return s.inValue()
	}
	s.skip(white)
	rest := s.text[s.pos:]
	if len(rest) == 0 {
		if final {
			return s.end()
		}
		return wait
	}
	if bytes.HasPrefix(rest, []byte(parameterOpening)) {
		return s.parameter(rest, final)
	}
	may := !final && isPrefix(rest, parameterOpening)
	for _, tag := range bodyEnds {
		if bytes.HasPrefix(rest, []byte(tag)) {
			return s.end()
		}
		may = may || !final && isPrefix(rest, tag)
	}
	if may {
		return wait
	}
	return never
}

func isPrefix(text []byte, of string) bool {
	return len(text) < len(of) && of[:len(text)] == string(text)
}

func (s *scanner) parameter(rest []byte, final bool) step {
	length, how := tagLength(rest, final)
	if how == on {
		s.pos += length
		s.xml = xmlBody{value: true, searched: s.pos}
	}
	return how
}

// valueEnds are the tags that end a value: its own, or where that one is missing, another one at the beginning of a line.
var valueEnds = []string{parameterClosing, "\n" + parameterOpening, "\n</function>", "\n</tool_call>"}

// inValue looks for the end of a value. A value without one was cut off: half of what was meant is worse than nothing.
func (s *scanner) inValue() step {
	at, length := valueEnd(s.text[s.xml.searched:])
	if at < 0 {
		s.xml.searched = max(s.xml.searched, len(s.text)-len("\n</tool_call>"))
		return wait
	}
	s.pos = s.xml.searched + at + length
	s.xml = xmlBody{}
	return on
}

// valueEnd finds where a value ends, and how long the closing tag of its own is. It is -1 when there is no end yet.
func valueEnd(text []byte) (at, length int) {
	at = -1
	for i, tag := range valueEnds {
		within := text
		if at >= 0 {
			within = text[:min(len(text), at+len(tag)-1)]
		}
		if found := bytes.Index(within, []byte(tag)); found >= 0 && (at < 0 || found < at) {
			at, length = found, 0
			if i == 0 {
				length = len(tag)
			}
		}
	}
	return at, length
}

// parameters are the arguments of a call in XML. All of them are strings: what they should be, the schema knows.
func parameters(body []byte) json.RawMessage {
	var out bytes.Buffer
	out.WriteByte('{')
	for {
		body = bytes.TrimLeft(body, white)
		if !bytes.HasPrefix(body, []byte(parameterOpening)) {
			break
		}
		opening := bytes.IndexByte(body, '>')
		name := tagValue(body[len(parameterOpening):opening])
		body = body[opening+1:]
		at, length := valueEnd(body)
		if at < 0 {
			at = len(body)
		}
		if out.Len() > 1 {
			out.WriteByte(',')
		}
		writeJSONString(&out, name)
		out.WriteByte(':')
		writeJSONString(&out, trimLine(string(body[:at])))
		body = body[at+length:]
	}
	out.WriteByte('}')
	return out.Bytes()
}

// trimLine drops the line break behind the opening tag, and the one before the closing tag: neither is part of the value.
func trimLine(value string) string {
	for _, end := range []string{"\r\n", "\n"} {
		if cut, ok := strings.CutPrefix(value, end); ok {
			value = cut
			break
		}
	}
	return strings.TrimSuffix(strings.TrimSuffix(value, "\n"), "\r")
}
