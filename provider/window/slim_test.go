package window

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"
)

func TestADietForSchemas(t *testing.T) {
	long := strings.Repeat("Words without an end. ", 20)
	for _, tt := range []struct{ name, schema, want string }{
		{"what says nothing", `{"$schema":"https://json-schema.org/draft/2020-12/schema","title":"Args","type":"object","properties":` +
			`{"title":{"type":"string","title":"Title","examples":["a"],"default":null,"minLength":0,"x-order":1}},"required":[],"additionalProperties":true}`,
			`{"type":"object","properties":{"title":{"type":"string"}}}`},
		{"what says something", `{"type":"object","properties":{"n":{"type":"integer","minimum":1,"default":10,"enum":[1, 10]}},"additionalProperties":false}`,
			`{"type":"object","properties":{"n":{"type":"integer","minimum":1,"default":10,"enum":[1,10]}},"additionalProperties":false}`},
		{"descriptions", `{"description":"All of it.","properties":{"a":{"description":"` + long + `"},"b":{"description":"B","items":{"description":"one B"}},` +
			`"c":{"properties":{"d":{"description":"D"}},"required":["d"]},"e":{"required":true,"description":"E"}},"required":["a"]}`,
			`{"description":"All of it.","properties":{"a":{"description":"` + strings.TrimSuffix(strings.Repeat("Words without an end. ", 8), " ") +
				`"},"b":{"items":{}},"c":{"properties":{"d":{}},"required":["d"]},"e":{"required":true}},"required":["a"]}`},
		{"references", `{"$defs":{"P":{"type":"string","title":"P","pattern":"^/"}},"properties":{"p":{"$ref":"#/$defs/P","description":"Where."}},"required":["p"]}`,
			`{"$defs":{"P":{"type":"string","pattern":"^/"}},"properties":{"p":{"$ref":"#/$defs/P","description":"Where."}},"required":["p"]}`},
		{"names are not keywords", `{"properties":{"$ref":{"type":"string"},"examples":{"type":"array"},"required":{"type":"null"}},"required":["$ref"]}`,
			`{"properties":{"$ref":{"type":"string"},"examples":{"type":"array"},"required":{"type":"null"}},"required":["$ref"]}`},
		{"values are not schemas", `{"properties":{"a":{"const":{"title":"x","$ref":"#"},"enum":[{"examples":[]}]}}}`,
			`{"properties":{"a":{"const":{"title":"x","$ref":"#"},"enum":[{"examples":[]}]}}}`},
		{"values with names", `{"properties":{"p":{"description":"How soon.","title":"P","oneOf":[{"const":1,"title":"today"},{"const":2,"description":"tomorrow"}]}}}`,
			`{"properties":{"p":{"oneOf":[{"const":1,"title":"today"},{"const":2,"description":"tomorrow"}]}}}`},
		{"broken", `{"type":`, `{"type":`},
		{"no object", `true`, `true`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if got := string(Slim(json.RawMessage(tt.schema))); got != tt.want {
				t.Errorf("got\n\t%s\nwant\n\t%s", got, tt.want)
			}
		})
	}
}

func TestHostileSchemas(t *testing.T) {
	for name, schema := range map[string]string{
		"deep":    strings.Repeat(`{"items":`, 5000) + "true" + strings.Repeat("}", 5000),
		"wide":    `{"properties":{` + strings.Repeat(`"k":{"title":"x"},`, 10000) + `"z":true},"required":[` + strings.Repeat(`"k",`, 10000) + `"z"]}`,
		"nowhere": `{"$ref":"#/$defs/none"}`,
		"itself":  `{"$ref":"#"}`,
	} {
		if got := Slim(json.RawMessage(schema)); !json.Valid(got) || len(got) > len(schema) {
			t.Errorf("%s: %d bytes became %d: %.200s", name, len(schema), len(got), got)
		}
	}
	if huge := json.RawMessage(`{"title":"` + strings.Repeat("x", largest) + `"}`); len(Slim(huge)) != len(huge) {
		t.Error("a schema larger than any was looked at")
	}
}

// accepts says whether arguments fit a schema. ok is false when the schema is not one.
func accepts(schema []byte, arguments string) (fits, ok bool) {
	if bytes.Count(schema, []byte("Ref")) > 8 {
		return false, false // the validator unfolds what Slim does not
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
	f.Add(`{"$defs":{"N":{"oneOf":[{"type":"null"},{"properties":{"n":{"$ref":"#/$defs/N"}}}],"unevaluatedProperties":false}},"$ref":"#/$defs/N"}`, `{"n":{"n":null}}`)
	f.Add(`{"$ref":"#/definitions/a","definitions":{"a":{"properties":{"x":{"$ref":"#"}},"not":{"$ref":"#/definitions/a/properties"}}}}`, `{"x":{}}`)
	f.Add(`{"if":{"$ref":"#/then"},"then":{"required":["a"]},"else":{"allOf":[{"$ref":"#/if"}],"minLength":0}}`, `{"a":1}`)
	f.Add(`{"items":[{"const":1}],"contains":{"$ref":"#"},"maxContains":1,"prefixItems":[true,{"enum":[{"title":1}]}]}`, `[1,2]`)
	f.Fuzz(func(t *testing.T, schema, arguments string) {
		in := json.RawMessage(schema)
		out := Slim(in)
		if !json.Valid(in) {
			if string(out) != schema {
				t.Fatalf("the broken %q became %q", schema, out)
			}
			return
		}
		if !json.Valid(out) || len(out) > 6*len(in) {
			t.Fatalf("%q became %q", schema, out)
		}
		if string(Slim(in)) != string(out) {
			t.Fatal("another result the second time")
		}
		fitted, ok := accepts(in, arguments)
		if fits, isSchema := accepts(out, arguments); ok && (!isSchema || fitted && !fits) {
			t.Fatalf("%s fits %s, not %s (a schema: %v)", arguments, in, out, isSchema)
		}
	})
}
