package loop

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"
)

func TestSlim(t *testing.T) {
	long := strings.Repeat("Words. ", 100)
	for _, tt := range []struct{ name, schema, want string }{
		{"what says nothing", `{"$schema":"https://json-schema.org/draft/2020-12/schema","title":"Args","type":"object",` +
			`"properties":{"title":{"type":"string","title":"Title","examples":["a"]}}}`,
			`{"type":"object","properties":{"title":{"type":"string"}}}`},
		{"what says something",
			`{"properties":{"n":{"minimum":1,"default":{"title":"x"},"enum":[1, 10]}},"additionalProperties":false}`,
			`{"properties":{"n":{"minimum":1,"default":{"title":"x"},"enum":[1,10]}},"additionalProperties":false}`},
		{"descriptions", `{"items":[{"description":"` + long + `"},{"description":"B"}]}`,
			`{"items":[{"description":"` + long[:slimText] + ` […]"},{"description":"B"}]}`},
		{"names are not keywords", `{"properties":{"description":{"type":"string"},"examples":{"type":"array"}}}`,
			`{"properties":{"description":{"type":"string"},"examples":{"type":"array"}}}`},
		{"broken", `{"type":`, `{"type":`},
		{"no object", `true`, `true`},
	} {
		if got := string(slim(json.RawMessage(tt.schema))); got != tt.want {
			t.Errorf("%s: got\n\t%s\nwant\n\t%s", tt.name, got, tt.want)
		}
	}
}

// accepts reports whether arguments fit a schema. ok is false if the schema is invalid.
func accepts(schema []byte, arguments string) (fits, ok bool) {
	if bytes.Count(schema, []byte("Ref")) > 8 {
		return false, false // the validator resolves more than slim
	}
	document, err := jsonschema.UnmarshalJSON(bytes.NewReader(schema))
	if err != nil {
		return false, false
	}
	c := jsonschema.NewCompiler()
	c.UseLoader(jsonschema.SchemeURLLoader{})
	if c.AddResource("mem:///schema.json", document) != nil {
		return false, false
	}
	compiled, err := c.Compile("mem:///schema.json")
	if err != nil {
		return false, false
	}
	value, err := jsonschema.UnmarshalJSON(strings.NewReader(arguments))
	return err == nil && compiled.Validate(value) == nil, err == nil
}

func FuzzSlim(f *testing.F) {
	f.Add(`{"properties":{"a":{"type":"string","title":"t","description":"d"}},"required":["a"]}`, `{"a":"b"}`)
	f.Add(`{"$defs":{"N":{"oneOf":[{"type":"null"},{"properties":{"n":{"$ref":"#/$defs/N"}}}],`+
		`"unevaluatedProperties":false}},"$ref":"#/$defs/N"}`, `{"n":{"n":null}}`)
	f.Add(`{"$ref":"#/definitions/a","definitions":{"a":{"properties":{"x":{"$ref":"#"}},`+
		`"not":{"$ref":"#/definitions/a/properties"}}}}`, `{"x":{}}`)
	f.Add(`{"if":{"$ref":"#/then"},"then":{"required":["a"]},"else":{"allOf":[{"$ref":"#/if"}],"minLength":0}}`, `{"a":1}`)
	f.Add(`{"items":[{"const":1}],"contains":{"$ref":"#"},"maxContains":1,`+
		`"prefixItems":[true,{"enum":[{"title":1}]}]}`, `[1,2]`)
	f.Fuzz(func(t *testing.T, schema, arguments string) {
		in := json.RawMessage(schema)
		out := slim(in)
		if !json.Valid(in) {
			if string(out) != schema {
				t.Fatalf("the broken %q became %q", schema, out)
			}
			return
		}
		if !json.Valid(out) || len(out) > 6*len(in)+10 {
			t.Fatalf("%q became %q", schema, out)
		}
		if string(slim(in)) != string(out) {
			t.Fatal("another result the second time")
		}
		fitted, ok := accepts(in, arguments)
		if fits, isSchema := accepts(out, arguments); ok && (!isSchema || fitted && !fits) {
			t.Fatalf("%s fits %s, not %s (a schema: %v)", arguments, in, out, isSchema)
		}
	})
}
