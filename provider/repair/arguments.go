package repair

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/aloudchat/aloud/internal/jsonschema"
)

// check returns the arguments as a JSON object that fits the schema, and the repairs. If that is not possible, the
// complaint describes the faults, and on further lines what the model should do, in at most about 1500 bytes, and fixed
// is the nearest object. A missing or unsupported schema accepts every object. tool is the name of the tool.
func check(tool string, schema, arguments json.RawMessage) (fixed json.RawMessage, repairs []string, complaint string) {
	raw, repairs, complaint := asObject(arguments)
	if complaint != "" {
		return json.RawMessage("{}"), nil, complaint
	}
	value, ok := jsonschema.Decode(raw)
	if !ok {
		return json.RawMessage("{}"), nil, "The arguments are nested too deep, or contain a number that is too large.\n" +
			"Call the tool again with simpler ones."
	}
	s, ok := jsonschema.Parse(schema)
	if !ok {
		return raw, repairs, ""
	}
	m := mender{root: s, tool: tool}
	if m.integers(value); len(m.notes) > 0 {
		raw = jsonschema.Encode(value)
	}
	faults, known := m.Validate(s, value)
	if wrap, _ := m.wrapper(value); len(faults) == 0 && wrap == "" || !known {
		repairs = append(repairs, m.notes...)
		return raw, repairs, ""
	}
	mended := m.arguments(value, len(faults) == 0)
	if len(m.notes) > 0 {
		m.Check = jsonschema.Check{}
		faults, known = m.Validate(s, mended)
		raw = jsonschema.Encode(mended)
	}
	if len(faults) > 0 && known {
		return raw, nil, complain(s, faults)
	}
	const maxNotes = 20
	if more := len(m.notes) - maxNotes; more > 0 {
		m.notes = append(m.notes[:maxNotes], fmt.Sprintf("and %d more", more))
	}
	return raw, append(repairs, m.notes...), ""
}

// asObject converts arguments to an object: it replaces empty ones and null with {}, unwraps an object in a string, and
// repairs invalid JSON.
func asObject(raw json.RawMessage) (object json.RawMessage, repairs []string, complaint string) {
	raw = bytes.TrimSpace(raw)
	for range 2 { // a string may contain another
		var inside string
		if len(raw) > 0 && raw[0] == '"' && wholeRunes(raw) && json.Unmarshal(raw, &inside) == nil {
			raw = []byte(strings.TrimSpace(inside))
		}
	}
	if len(raw) == 0 || string(raw) == "null" {
		return json.RawMessage("{}"), nil, ""
	}
	if !utf8.Valid(raw) {
		return nil, nil, "The arguments have bytes that are not UTF-8.\nCall the tool again with plain text."
	}
	given := raw
	if !json.Valid(raw) {
		raw, repairs = mendJSON(raw, false), []string{"invalid JSON repaired"}
	}
	switch {
	case len(raw) == 0 && given[0] == '{':
		return nil, nil, "The arguments are not valid JSON: " + jsonschema.Quoted(string(given), 200) + ".\nCall the tool " +
			"again with all strings in double quotes, and with quotes, backslashes and line breaks in them escaped."
	case len(raw) == 0 || raw[0] != '{':
		return nil, nil, "The arguments are not a JSON object: " + jsonschema.Quoted(string(given), 200) +
			".\nCall the tool again with an object, such as {}."
	}
	if why := ambiguity(raw); why != "" {
		return nil, nil, why + "\nCall the tool again without it."
	}
	return raw, repairs, ""
}
