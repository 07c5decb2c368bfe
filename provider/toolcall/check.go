package toolcall

import (
	"bytes"
	"encoding/json"
	"strings"
	"unicode/utf8"

	"github.com/santhosh-tekuri/jsonschema/v6"
)

// Schemas checks the arguments of calls against the schemas of their tools, and mends what can be mended without loss. It keeps what it
// compiled. The zero value is ready. Schemas are for one goroutine.
type Schemas struct {
	compiled map[string]*jsonschema.Schema
}

// Check returns the arguments as the JSON object that the schema wants, and what was mended on the way, a few words each. When they cannot
// be mended, the complaint says so to the model, in at most some 1500 bytes; fixed is then the best that could be made of them, an object
// still. A schema that says nothing, or nothing that is understood, is content with every object.
func (s *Schemas) Check(schema, arguments json.RawMessage) (fixed json.RawMessage, repairs []string, complaint string) {
	raw, repairs, complaint := asObject(arguments)
	if complaint != "" {
		return json.RawMessage("{}"), nil, complaint
	}
	compiled := s.compile(schema)
	if compiled == nil {
		return raw, repairs, ""
	}
	value, err := decode(raw)
	if err != nil {
		return json.RawMessage("{}"), nil, notJSON(raw)
	}
	if err := compiled.Validate(value); err != nil {
		return raw, repairs, "The arguments do not fit the tool. " + err.Error()
	}
	return raw, repairs, ""
}

// compile compiles each schema once.
func (s *Schemas) compile(raw json.RawMessage) *jsonschema.Schema {
	const most = 1000 // schemas that are kept; servers may change theirs for ever
	if compiled, ok := s.compiled[string(raw)]; ok {
		return compiled
	}
	if s.compiled == nil || len(s.compiled) >= most {
		s.compiled = map[string]*jsonschema.Schema{}
	}
	compiled := compile(raw)
	s.compiled[string(raw)] = compiled
	return compiled
}

// asObject makes arguments an object: none or null is an empty one, and one in a string is unwrapped.
func asObject(raw json.RawMessage) (object json.RawMessage, repairs []string, complaint string) {
	raw = bytes.TrimSpace(raw)
	if !utf8.Valid(raw) {
		raw = bytes.ToValidUTF8(raw, []byte("\uFFFD"))
	}
	if len(raw) == 0 || string(raw) == "null" || string(raw) == `""` {
		return json.RawMessage("{}"), nil, ""
	}
	var inside string
	if raw[0] == '"' && json.Unmarshal(raw, &inside) == nil {
		raw = []byte(strings.TrimSpace(inside))
	}
	if len(raw) == 0 || raw[0] != '{' {
		return nil, nil, notJSON(raw)
	}
	if !json.Valid(raw) {
		fixed, ok := repairJSON(raw)
		if !ok {
			return nil, nil, notJSON(raw)
		}
		raw, repairs = fixed, []string{"broken JSON mended"}
	}
	if !modest(raw) {
		return nil, nil, "The arguments are nested too deep, or have a number that is too large. Call the tool again with simpler ones."
	}
	return raw, repairs, ""
}

func notJSON(raw []byte) string {
	return "The arguments are not a JSON object: " + quoted(string(raw), 200) + ". Call the tool again with an object, such as {}."
}
