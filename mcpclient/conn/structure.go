package conn

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/aloudchat/aloud/internal/jsonschema"
	"github.com/aloudchat/aloud/internal/sanitize"
	"github.com/aloudchat/aloud/internal/secret"
)

const maxChecked = 1 << 20 // bytes of structured content, and of texts that may repeat it

// fit validates structured content against the output schema of its tool. It returns the first faults as sanitized
// text, with JSON pointers but without values and secrets. It returns "" if there are none, or if it cannot validate.
func fit(content, schema json.RawMessage, secrets secret.Hider) (odd string) {
	const limit = 3
	if len(content) > maxChecked {
		return ""
	}
	s, ok := jsonschema.Parse(schema)
	value, readable := jsonschema.Decode(content)
	if !ok || !readable {
		return ""
	}
	faults, known := new(jsonschema.Check).Validate(s, value)
	if !known {
		return ""
	}
	var texts []string
	for _, f := range faults {
		texts = append(texts, faultText(f, secrets))
	}
	slices.Sort(texts)
	texts = slices.Compact(texts)
	if more := len(texts) - limit; more > 0 {
		texts = append(texts[:limit], fmt.Sprintf("and %d more", more))
	}
	return strings.Join(texts, "; ")
}

// faultText describes a fault: `/days/0/low: expected number`. Secrets are hidden before a text is cut.
func faultText(f jsonschema.Fault, secrets secret.Hider) string {
	const limit = 120 // bytes of the pointer, and of the text
	text := sanitize.Clip(secrets.Beginning(f.Text, limit), limit)
	if len(f.Path) == 0 {
		return sanitize.Line(text)
	}
	const separator = "\x00"
	escape := strings.NewReplacer("~", "~0", "/", "~1", separator, "/")
	pointer := escape.Replace(separator + secrets.Beginning(strings.Join(f.Path, separator), limit))
	return sanitize.Line(sanitize.Clip(pointer, limit) + ": " + text)
}
