package repair

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
)

// TestWorkIsBounded has schemas and arguments that would take minutes, or too much memory, without limits.
func TestWorkIsBounded(t *testing.T) {
	const draft7 = `"$schema":"http://json-schema.org/draft-07/schema#",`
	doubling, chain := `{"$ref":"#/$defs/d0","$defs":{`, `{"$ref":"#/$defs/d0","$defs":{`
	for i := range 60 {
		doubling += fmt.Sprintf(`"d%d":{"anyOf":[{"$ref":"#/$defs/d%d"},{"$ref":"#/$defs/d%d"}]},`, i, i+1, i+1)
	}
	for i := range 3000 {
		chain += fmt.Sprintf(`"d%d":{"$ref":"#/$defs/d%d"},`, i, i+1)
	}
	_, nest := nested(90)
	_, deep := nested(190)
	list := `{"a":[` + strings.Repeat("1,", 20_000) + `1]}`
	tests := []struct{ name, schema, in string }{
		{"doubling", doubling + `"d60":{"required":["x"]}}}`, nest},
		{"two recursive forms", `{"anyOf":[{"properties":{"a":{"$ref":"#"}}},{"properties":{"a":{"$ref":"#"}}}]}`, nest},
		{"twice the same", `{"properties":{"a":{"allOf":[{"$ref":"#"},{"$ref":"#"}]}},"required":["b"]}`, nest},
		{"two patterns", `{"patternProperties":{"a":{"$ref":"#"},"^a":{"$ref":"#"}},"required":["b"]}`, nest},
		{"two patterns, not", `{"not":{"patternProperties":{"a":{"$ref":"#"},"^a":{"$ref":"#"}}}}`, nest},
		{"a chain at every level", chain + `"d3000":{"required":["x"],"properties":{"a":{"$ref":"#/$defs/d0"}}}}}`, deep},
		{"many forms of another type", `{"properties":{"a":{"items":{"anyOf":[` +
			strings.Repeat(`{"type":"null"},`, 4000) + `false]}}}}`, list},
		{"many old references", `{` + draft7 + `"definitions":{"n":{"type":"null"}},"properties":{"a":{"items":{"anyOf":[` +
			strings.Repeat(`{"$ref":"#/definitions/n"},`, 4000) + `false]}}}}`, list},
		{"many numbers", `{"properties":{"a":{"items":{"enum":[` + strings.Repeat("2.5,", 5000) + `2.5]}}}}`, list},
		{"a long pattern", `{"properties":{"a":{"pattern":"` + strings.Repeat("x{1000}", 100) + `"}}}`, nest},
		{"a long key", `{"patternProperties":{"` + strings.Repeat("(a|b|ab)*", 200) + `c":false},"minProperties":3}`,
			`{"` + strings.Repeat("ab", 20_000) + `":"1"}`},
		{"many faults, deep inside", `{"properties":{"a":{"$ref":"#"},"b":{"items":{"type":"null"}}}}`,
			strings.Repeat(`{"a":`, 190) + `{"b":[` + strings.Repeat("1,", 5000) + `1]}` + strings.Repeat("}", 190)},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			fixed, _, complaint := check("read", json.RawMessage(test.schema), json.RawMessage(test.in))
			if !json.Valid(fixed) || len(complaint) > 1600 {
				t.Errorf("%.80s %s", fixed, complaint)
			}
		})
	}
}
