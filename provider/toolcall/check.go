package toolcall

import (
	"bytes"
	"encoding/json"
	"errors"
	"strings"
	"unicode/utf8"
)

// Schemas checks the arguments of calls against the schemas of their tools, and mends what can be mended without loss. It keeps what it
// compiled. The zero value is ready. Schemas are for one goroutine.
type Schemas struct {
	compiled map[string]*checker // by schema; nil for one that says nothing
	size     int                 // of these schemas, in bytes
}

// Check returns the arguments as the JSON object that the schema wants, and what was mended on the way, a few words each. When they cannot
// be mended, the complaint says so to the model, in at most some 1500 bytes; fixed is then the best that could be made of them, an object
// still. A schema that says nothing, or nothing that is understood, is content with every object.
func (s *Schemas) Check(schema, arguments json.RawMessage) (fixed json.RawMessage, repairs []string, complaint string) {
	raw, repairs, complaint := asObject(arguments)
	if complaint != "" {
		return json.RawMessage("{}"), nil, complaint
	}
	c := s.compile(schema)
	if c == nil {
		return raw, repairs, ""
	}
	value, err := decode(raw)
	if err != nil {
		return json.RawMessage("{}"), nil, notAnObject(raw)
	}
	return c.check(raw, value, repairs)
}

// check mends a value when it is not valid.
func (c *checker) check(raw json.RawMessage, value any, repairs []string) (json.RawMessage, []string, string) {
	c.fuel.left = tank
	err := c.validate(c.schema, value)
	if err == nil && !wrapped(value) || !understood(err) {
		return raw, repairs, ""
	}
	m := mender{checker: c, order: keyOrder(raw)}
	mended := m.root(value, err == nil)
	if len(m.notes) > 0 {
		c.fuel.left = tank
		err = c.validate(c.schema, mended)
		var out writer
		out.value(mended, m.order)
		raw = out.Bytes()
	}
	if err != nil && understood(err) {
		return raw, nil, c.complain(err, mended)
	}
	return raw, append(repairs, m.told()...), ""
}

// understood reports whether an error is one of the value, not of the schema.
func understood(err error) bool { return !errors.Is(err, errUnknown) && !circular(err) }

// compile compiles each schema once. It forgets them all when there are too many: a server may change its own for ever.
func (s *Schemas) compile(raw json.RawMessage) *checker {
	const most = 8 << 20
	if len(raw) > schemaLimit {
		return nil
	}
	if c, ok := s.compiled[string(raw)]; ok {
		return c
	}
	if s.size += len(raw) + 1<<10; s.compiled == nil || s.size > most {
		s.compiled, s.size = map[string]*checker{}, len(raw)
	}
	c := compile(raw)
	s.compiled[string(raw)] = c
	return c
}

// asObject makes arguments an object: none or null is an empty one, one in a string is unwrapped, and broken JSON is mended.
func asObject(raw json.RawMessage) (object json.RawMessage, repairs []string, complaint string) {
	raw = bytes.TrimSpace(raw)
	if !utf8.Valid(raw) {
		raw = bytes.ToValidUTF8(raw, []byte("\uFFFD"))
	}
	var inside string
	for range 2 { // some write a string of a string
		if len(raw) > 0 && raw[0] == '"' && json.Unmarshal(raw, &inside) == nil {
			raw = []byte(strings.TrimSpace(inside))
		}
	}
	if len(raw) == 0 || string(raw) == "null" {
		return json.RawMessage("{}"), nil, ""
	}
	if !json.Valid(raw) {
		fixed, ok := repairJSON(raw)
		if !ok {
			return nil, nil, notAnObject(raw)
		}
		raw, repairs = fixed, []string{"broken JSON mended"}
	}
	if raw[0] != '{' {
		return nil, nil, notAnObject(raw)
	}
	if !modest(raw) {
		return nil, nil, "The arguments are nested too deep, or have a number that is too large. Call the tool again with simpler ones."
	}
	return raw, repairs, ""
}

func notAnObject(raw []byte) string {
	return "The arguments are not a JSON object: " + quoted(string(raw), 200) + ". Call the tool again with an object, such as {}."
}
