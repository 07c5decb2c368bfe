package repair

import (
	"bytes"
	"strings"
)

// A mark stands around calls and says nothing that the calls do not say. Missing ones, and ones too many, do no harm.
type mark struct {
	text  string
	named bool // a name of a tool may come next
}

var marks = []mark{
	{"<tool_call>", false}, {"</tool_call>", false},
	{"<tool_calls>", false}, {"</tool_calls>", false},
	{"<function_call>", false}, {"</function_call>", false},
	{"<function_calls>", false}, {"</function_calls>", false},
	{"<tools>", false}, {"</tools>", false},
	{"<|tool_call|>", false}, {"<|/tool_call|>", false}, {"<|tool_call>", false}, {"<tool_call|>", false}, {"</|tool_call|>", false},
	{"<|python_tag|>", true}, {"<|eom_id|>", false}, {"<|eot_id|>", false}, {"<|im_end|>", false},
	{"<tool_code>", true}, {"</tool_code>", false},
	{"</function>", false}, {"</parameter>", false},
}

const xmlOpening = "<function="

// tag reads a mark, or the beginning of a call in XML.
func (s *scanner) tag(rest []byte, final bool) step {
	for _, m := range marks {
		if bytes.HasPrefix(rest, []byte(m.text)) {
			s.pos += len(m.text)
			s.named = m.named
			return on
		}
	}
	if bytes.HasPrefix(rest, []byte(xmlOpening)) {
		return s.function(rest, final)
	}
	if final {
		return never
	}
	if isPrefix(rest, xmlOpening) {
		return wait
	}
	for _, m := range marks {
		if isPrefix(rest, m.text) {
			return wait
		}
	}
	return never
}

// fence reads a line that begins or ends a code fence.
func (s *scanner) fence(rest []byte, final bool) step {
	const ticks = "```"
	switch {
	case isPrefix(rest, ticks):
		return waitUnless(final)
	case !bytes.HasPrefix(rest, []byte(ticks)):
		return never
	case s.fenced:
		s.pos += len(ticks)
		s.fenced = false
		return on
	}
	language, next, enough := nameAt(rest[len(ticks):])
	switch {
	case len(language) > nameLimit || next == '`':
		return never
	case !enough:
		return waitUnless(final)
	}
	s.pos += len(ticks) + len(language)
	s.fenced = true
	s.named = strings.EqualFold(string(language), "tool_code") || strings.EqualFold(string(language), "tool_call")
	return on
}
