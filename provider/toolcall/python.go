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
	var calls []Call
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
		l := loose{text: text[len(name)+1:], python: true}
		if !l.keywords() {
			return nil
		}
		calls = append(calls, Call{tool, json.RawMessage(l.out.Bytes())})
		text = l.text
	}
}

// keywords reads x="value", n=3 and the parenthesis behind them, and writes an object.
func (l *loose) keywords() bool {
	l.out.WriteByte('{')
	ok := l.members(')', func() bool {
		name, _, _ := nameAt(l.text)
		l.out.string(string(name))
		l.text = l.text[len(name):]
		l.out.WriteByte(':')
		return len(name) > 0 && l.take('=') && l.value()
	})
	l.out.WriteByte('}')
	return ok
}
