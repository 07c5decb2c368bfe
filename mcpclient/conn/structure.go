package conn

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/aloudchat/aloud/jsonschema"
	"github.com/aloudchat/aloud/sanitize"
	"github.com/aloudchat/aloud/secret"
)

const largestChecked = 1 << 20 // bytes of structured content

// fit checks structured content against the schema that its tool announced. It says in a few safe words what does not fit, with the place of each
// fault as a JSON pointer and without values and secrets. It is "" if all does, without a schema, and if checking would take too much work.
func fit(content, announced json.RawMessage, secrets secret.Hider) (odd string) {
	const told = 3
	if len(content) > largestChecked {
		return ""
	}
	s, ok := jsonschema.Parse(announced)
	value, readable := jsonschema.Decode(content)
	if !ok || !readable {
		return ""
	}
	faults, known := new(jsonschema.Check).Validate(s, value)
	if !known {
		return ""
	}
	var said []string
	for _, f := range faults {
		said = append(said, misfit(f, secrets))
	}
	slices.Sort(said)
	said = slices.Compact(said)
	if more := len(said) - told; more > 0 {
		said = append(said[:told], fmt.Sprintf("and %d more", more))
	}
	return strings.Join(said, "; ")
}

// misfit says what does not fit at one place: `/days/0/low: expected number`. Names come from outside, and are cut only after secrets were hidden.
func misfit(f jsonschema.Fault, secrets secret.Hider) string {
	const longest = 120 // bytes of the place, and of the words
	words := sanitize.Clip(secrets.Beginning(f.Text, longest), longest)
	if len(f.Path) == 0 {
		return sanitize.Line(words)
	}
	const between = "\x00"
	escape := strings.NewReplacer("~", "~0", "/", "~1", between, "/")
	place := escape.Replace(between + secrets.Beginning(strings.Join(f.Path, between), longest))
	return sanitize.Line(sanitize.Clip(place, longest) + ": " + words)
}
