package repair

import (
	"bytes"
	"encoding/json"

	"github.com/aloudchat/aloud/internal/jsonschema"
)

// maxDepth limits the nesting of JSON values.
const maxDepth = 200

// mendJSON repairs invalid JSON, which may be in a code fence, or converts a value of Python. It returns nil if that is
// not possible without a guess, or if the value is cut off, because half of a file is worse than none.
func mendJSON(text []byte, python bool) json.RawMessage {
	if json.Valid(text) {
		return bytes.Clone(text)
	}
	p := parser{text: withoutFence(text), python: python}
	if !p.value() {
		return nil
	}
	after := white + "\u00a0\ufeff]};"
	if python {
		after = white
	}
	if len(bytes.Trim(p.text, after)) > 0 || !json.Valid(p.out.Bytes()) {
		return nil
	}
	return p.out.Bytes()
}

// withoutFence removes the code fence around a text. The word "json" may be all that is left of its beginning.
func withoutFence(text []byte) []byte {
	text = bytes.TrimSpace(text)
	inside, fenced := bytes.CutPrefix(text, []byte("```"))
	inside, isJSON := bytes.CutPrefix(inside, []byte("json"))
	switch {
	case !isJSON && !fenced:
		return text
	case !isJSON:
		_, inside, _ = bytes.Cut(inside, []byte("\n"))
	}
	return bytes.TrimSpace(bytes.TrimSuffix(inside, []byte("```")))
}

// keywords parses the arguments of a Python call, (x="value", n=3). It returns them as an object, nil if they are
// invalid, and the text after them. unnamed reports that some have no name, so that the object must not be used.
func keywords(text []byte) (object json.RawMessage, unnamed bool, rest []byte) {
	p := parser{text: text, python: true}
	ok := p.group("{}", ')', func() bool {
		name := bareKey().Find(p.text)
		if after := bytes.TrimLeft(p.text[len(name):], white); len(name) == 0 || !bytes.HasPrefix(after, []byte("=")) {
			name, unnamed = nil, true
		}
		p.text = p.text[len(name):]
		p.out.Write(jsonschema.Encode(string(name)))
		p.out.WriteByte(':')
		return (len(name) == 0 || p.take('=')) && p.value()
	})
	if !ok {
		return nil, false, text
	}
	return p.out.Bytes(), unnamed, p.text
}

// isNumber reports whether a text is a number in JSON.
func isNumber(text string) bool {
	return text != "" && (text[0] == '-' || text[0] >= '0' && text[0] <= '9') && json.Valid([]byte(text))
}
