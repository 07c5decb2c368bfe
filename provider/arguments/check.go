// Package arguments holds the arguments of a call against the schema of its tool: what can be mended without loss is mended, and of the rest
// the model is told.
package arguments

import (
	"bytes"
	"encoding/json"
	"strings"
	"unicode/utf8"

	"github.com/aloudchat/aloud/provider/loosejson"
	"github.com/aloudchat/aloud/schema"
)

// Checker checks the arguments of calls against the schemas of their tools. It keeps the schemas that it compiled. The zero value is ready.
// A Checker is for one goroutine.
type Checker struct {
	schemas map[string]*checked // by their text; nil for one that says nothing
	size    int                 // of these texts, in bytes
}

// checked is the schema of one tool's arguments.
type checked struct{ *schema.Schema }

// Check returns the arguments as the JSON object that the schema wants, and what was mended on the way, a few words each. When they cannot
// be mended, the complaint says so to the model, in at most some 1500 bytes; fixed is then the best that could be made of them, an object
// still. A schema that says nothing, or nothing that is understood, is content with every object.
func (c *Checker) Check(wanted, arguments json.RawMessage) (fixed json.RawMessage, repairs []string, complaint string) {
	raw, repairs, complaint := asObject(arguments)
	if complaint != "" {
		return json.RawMessage("{}"), nil, complaint
	}
	value, ok := schema.Decode(raw)
	if !ok {
		return json.RawMessage("{}"), nil, "The arguments are nested too deep, or have a number that is too large. Call the tool again with simpler ones."
	}
	if s := c.compiled(wanted); s != nil {
		return s.check(raw, value, repairs)
	}
	return raw, repairs, ""
}

// check mends a value when it is not valid.
func (s *checked) check(raw json.RawMessage, value any, repairs []string) (json.RawMessage, []string, string) {
	s.Begin()
	err := s.Validate(s.Root, value)
	if wrap, _ := wrapper(value); err == nil && wrap == "" || !schema.Understood(err) {
		return raw, repairs, ""
	}
	m := mender{checked: s, order: keyOrder{}}
	m.order.add(raw)
	mended := m.arguments(value, err == nil)
	if len(m.notes) > 0 {
		s.Begin()
		err = s.Validate(s.Root, mended)
		raw = m.order.write(mended)
	}
	if err != nil && schema.Understood(err) {
		return raw, nil, s.complain(err, mended)
	}
	return raw, append(repairs, m.told()...), ""
}

// compiled compiles each schema once. It forgets them all when there are too many: a server may change its own for ever.
func (c *Checker) compiled(raw json.RawMessage) *checked {
	const most = 8 << 20
	if len(raw) > schema.Largest {
		return nil
	}
	if s, ok := c.schemas[string(raw)]; ok {
		return s
	}
	size := len(raw) + 1<<10 // even an empty one takes its place
	if c.schemas == nil || c.size+size > most {
		c.schemas, c.size = map[string]*checked{}, 0
	}
	var s *checked
	if compiled := schema.Compile(raw); compiled != nil {
		s = &checked{compiled}
	}
	c.schemas[string(raw)] = s
	c.size += size
	return s
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
		fixed := loosejson.Mend(raw)
		if fixed == nil {
			return nil, nil, notAnObject(raw)
		}
		raw, repairs = fixed, []string{"broken JSON mended"}
	}
	if raw[0] != '{' {
		return nil, nil, notAnObject(raw)
	}
	return raw, repairs, ""
}

func notAnObject(raw []byte) string {
	return "The arguments are not a JSON object: " + quoted(string(raw), 200) + ". Call the tool again with an object, such as {}."
}
