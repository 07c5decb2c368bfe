package repair

import (
	"bytes"
	"strings"
)

// pythonName is the name of the tool in the name of what is called: Llama 3 writes name.call(…).
func pythonName(name []byte) string { return strings.TrimSuffix(string(name), ".call") }

// pythonCalls reads name(x="value", n=3), or a list of these.
func (s *scanner) pythonCalls(text []byte) []textCall {
	text = bytes.TrimSpace(text)
	if inside, ok := bytes.CutPrefix(text, []byte("[")); ok {
		text, ok = bytes.CutSuffix(inside, []byte("]"))
		if !ok {
			return nil
		}
	}
	var calls []textCall
	for {
		text = bytes.TrimLeft(text, white+",")
		if len(text) == 0 {
			return calls
		}
		name, next, _ := nameAt(text)
		tool := pythonName(name)
		if next != '(' || !s.known(tool) {
			return nil
		}
		arguments, rest := keywords(text[len(name)+1:])
		if arguments == nil {
			return nil
		}
		calls = append(calls, textCall{tool, arguments, string(text[:len(text)-len(rest)])})
		text = rest
	}
}
