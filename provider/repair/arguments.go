package repair

import (
	"bytes"
	"encoding/json"
	"strings"
	"unicode/utf8"

	"github.com/aloudchat/aloud/jsonschema"
)

// checker checks the arguments of calls against the schemas of their tools, and keeps the parsed schemas. The zero
// value is ready. It is not safe for concurrent use.
type checker struct {
	schemas map[string]parsed // by their text
	size    int               // of these texts, in bytes
}

type parsed struct {
	jsonschema.Schema
	ok bool
}

// Check returns the arguments as a JSON object that fits the schema, with a few words on each repair. If that is not
// possible, the complaint tells the model why, in about 1500 bytes at most, and fixed is the nearest object. A schema
// that is missing or not understood accepts every object.
func (c *checker) Check(wanted, arguments json.RawMessage) (fixed json.RawMessage, repairs []string, complaint string) {
	raw, repairs, complaint := asObject(arguments)
	if complaint != "" {
		return json.RawMessage("{}"), nil, complaint
	}
	value, ok := jsonschema.Decode(raw)
	if !ok {
		return json.RawMessage("{}"), nil, "The arguments are nested too deep, or have a number that is too large. Call the tool again with simpler ones."
	}
	s := c.parsed(wanted)
	if !s.ok {
		return raw, repairs, ""
	}
	m := mender{root: s.Schema}
	faults, known := m.Validate(s.Schema, value)
	if wrap, _ := wrapper(value); len(faults) == 0 && wrap == "" || !known {
		return raw, repairs, ""
	}
	mended := m.arguments(value, len(faults) == 0)
	if len(m.notes) > 0 {
		m.Check = jsonschema.Check{}
		faults, known = m.Validate(s.Schema, mended)
		raw = jsonschema.Encode(mended)
	}
	if len(faults) > 0 && known {
		return raw, nil, complain(s.Schema, faults)
	}
	return raw, append(repairs, m.told()...), ""
}

// parsed parses each schema once. It forgets all of them when they get too large, since a server may keep changing its
// schemas.
func (c *checker) parsed(raw json.RawMessage) parsed {
	const most = 8 << 20
	if s, ok := c.schemas[string(raw)]; ok {
		return s
	}
	size := len(raw) + 1<<10 // an empty one takes some memory, too
	if c.schemas == nil || c.size+size > most {
		c.schemas, c.size = map[string]parsed{}, 0
	}
	var s parsed
	s.Schema, s.ok = jsonschema.Parse(raw)
	c.schemas[string(raw)] = s
	c.size += size
	return s
}

// asObject makes arguments an object: none or null becomes an empty one, one in a string is unwrapped, and broken JSON
// is mended.
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
	given := raw
	if !json.Valid(raw) {
		raw, repairs = mendJSON(raw), []string{"broken JSON mended"}
	}
	if len(raw) == 0 || raw[0] != '{' {
		return nil, nil, "The arguments are not a JSON object: " + jsonschema.Quoted(string(given), 200) + ". Call the tool again with an object, such as {}."
	}
	return raw, repairs, ""
}
