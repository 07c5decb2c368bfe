package ollama

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/ollama/ollama/api"
)

// Schemas as real servers send them, and what Ollama gets.
func TestSchemasReachTheModelWithWhatItNeeds(t *testing.T) {
	for _, tt := range []struct{ name, schema, want, note string }{
		{
			name:   "a plain one stays as it is, in order",
			schema: `{"type":"object","properties":{"zone":{"type":"string","description":"IANA name."},"at":{"type":"integer"}},"required":["zone"]}`,
			want:   `{"type":"object","required":["zone"],"properties":{"zone":{"type":"string","description":"IANA name."},"at":{"type":"integer"}}}`,
		},
		{
			name:   "no arguments",
			schema: `{"type":"object"}`,
			want:   `{"type":"object","properties":{}}`,
		},
		{
			name:   "nothing at all",
			schema: ``,
			want:   `{"type":"object","properties":{}}`,
		},
		{
			name:   "anything",
			schema: `true`,
			want:   `{"type":"object","properties":{}}`,
		},
		{
			name:   "null in every place",
			schema: `{"type":null,"properties":null,"required":null,"$defs":null,"anyOf":null}`,
			want:   `{"type":"object","properties":{}}`,
		},
		{
			name:   "constraints become words",
			schema: `{"properties":{"n":{"type":"integer","description":"How many.","default":10,"minimum":1,"maximum":100},"u":{"type":"string","format":"uri","minLength":1,"maxLength":2000},"p":{"type":"string","pattern":"^[a-z]+$"}}}`,
			want: `{"type":"object","properties":{"n":{"type":"integer","description":"How many. (default 10, at least 1, at most 100)"},` +
				`"u":{"type":"string","description":"(format uri, at least 1 character, at most 2000 characters)"},"p":{"type":"string","description":"(matching ^[a-z]+$)"}}}`,
		},
		{
			name:   "an optional value of pydantic",
			schema: `{"properties":{"limit":{"anyOf":[{"type":"integer"},{"type":"null"}],"default":null,"title":"Limit"}}}`,
			want:   `{"type":"object","properties":{"limit":{"type":["integer","null"]}}}`,
		},
		{
			name:   "a reference to an enumeration",
			schema: `{"$defs":{"Colour":{"enum":["red","green"],"title":"Colour","type":"string"}},"properties":{"c":{"$ref":"#/$defs/Colour","description":"Which one."}},"required":["c"]}`,
			want:   `{"type":"object","required":["c"],"properties":{"c":{"type":"string","description":"Which one.","enum":["red","green"]}}}`,
		},
		{
			name:   "a reference inside allOf, as a described field has it",
			schema: `{"definitions":{"P":{"type":"object","properties":{"x":{"type":"number"}},"required":["x"]}},"properties":{"at":{"allOf":[{"$ref":"#/definitions/P"}],"description":"Where."}}}`,
			want:   `{"type":"object","properties":{"at":{"type":"object","description":"Where. (needs x)","properties":{"x":{"type":"number"}},"required":["x"]}}}`,
		},
		{
			name:   "a tree",
			schema: `{"$defs":{"Node":{"type":"object","properties":{"name":{"type":"string"},"children":{"type":"array","items":{"$ref":"#/$defs/Node"}}}}},"properties":{"root":{"$ref":"#/$defs/Node"}}}`,
			want: `{"type":"object","properties":{"root":{"type":"object","properties":{"name":{"type":"string"},` +
				`"children":{"type":"array","items":{"type":"object","description":"(the same form as Node again)"}}}}}}`,
		},
		{
			name:   "a schema that is itself",
			schema: `{"$ref":"#"}`,
			want:   `{"type":"object","properties":{}}`,
		},
		{
			name:   "two references in a circle",
			schema: `{"$defs":{"A":{"$ref":"#/$defs/B"},"B":{"$ref":"#/$defs/A"}},"properties":{"a":{"$ref":"#/$defs/A"}}}`,
			want:   `{"type":"object","properties":{"a":{"type":"object","description":"(the same form as A again)"}}}`,
		},
		{
			name:   "a reference into the world",
			schema: `{"properties":{"a":{"$ref":"https://example.com/schema.json","description":"Something."}}}`,
			want:   `{"type":"object","properties":{"a":{"description":"Something."}}}`,
		},
		{
			name:   "a reference through a list and escaped names",
			schema: `{"properties":{"a/b":{"oneOf":[{"type":"string","description":"deep"}]},"c":{"$ref":"#/properties/a~1b/oneOf/0"}}}`,
			want:   `{"type":"object","properties":{"a/b":{"type":"string","description":"deep"},"c":{"type":"string","description":"deep"}}}`,
		},
		{
			name:   "values with titles",
			schema: `{"properties":{"size":{"oneOf":[{"const":"s","title":"Small"},{"const":"l","title":"Large"}]},"one":{"const":7}}}`,
			want:   `{"type":"object","properties":{"size":{"type":"string","description":"(\"s\": Small, \"l\": Large)","enum":["s","l"]},"one":{"type":"integer","enum":[7]}}}`,
		},
		{
			name:   "alternatives of different form",
			schema: `{"properties":{"q":{"oneOf":[{"type":"string"},{"type":"object","properties":{"text":{"type":"string"}}}]}}}`,
			want:   `{"type":"object","properties":{"q":{"anyOf":[{"type":"string"},{"type":"object","properties":{"text":{"type":"string"}}}]}}}`,
		},
		{
			name:   "alternatives at the top",
			schema: `{"type":"object","properties":{"id":{"type":"string"},"name":{"type":"string"}},"anyOf":[{"required":["id"]},{"required":["name"]}]}`,
			want:   `{"type":"object","properties":{"id":{"type":"string"},"name":{"type":"string"}}}`,
			note:   "Give either id, or name.",
		},
		{
			name:   "different objects at the top",
			schema: `{"oneOf":[{"type":"object","properties":{"kind":{"const":"a"},"a":{"type":"string"}},"required":["kind","a"]},{"type":"object","properties":{"kind":{"const":"b"},"b":{"type":"integer"}},"required":["kind","b"]}]}`,
			want:   `{"type":"object","required":["kind"],"properties":{"kind":{"type":"string","enum":["a","b"]},"a":{"type":"string"},"b":{"type":"integer"}}}`,
			note:   "Give either kind and a, or kind and b.",
		},
		{
			name:   "boolean schemas",
			schema: `{"properties":{"any":true,"never":false,"x":{"type":"string"}},"required":["never","x"]}`,
			want:   `{"type":"object","required":["x"],"properties":{"any":{},"x":{"type":"string"}}}`,
		},
		{
			name:   "wrong types everywhere",
			schema: `{"type":["object","null"],"required":"x","properties":{"a":{"type":"text","description":["no"],"enum":"no"},"b":{"type":["string",7,"bogus"],"enum":{"x":1}},"c":"string","d":{"description":12}}}`,
			want:   `{"type":"object","properties":{"a":{},"b":{"type":"string"},"c":{},"d":{}}}`,
		},
		{
			name:   "maps",
			schema: `{"properties":{"env":{"type":"object","additionalProperties":{"type":"string"}},"strict":{"type":"object","properties":{"a":{"type":"string"}},"additionalProperties":false}}}`,
			want: `{"type":"object","properties":{"env":{"type":"object","description":"(any keys, each with a value of type string)"},` +
				`"strict":{"type":"object","description":"(no other keys)","properties":{"a":{"type":"string"}}}}}`,
		},
		{
			name:   "arrays and tuples",
			schema: `{"properties":{"l":{"type":"array","minItems":1,"uniqueItems":true,"items":{"type":"string","enum":["a","b"]}},"t":{"prefixItems":[{"type":"number"},{"type":"string"}]}}}`,
			want: `{"type":"object","properties":{"l":{"type":"array","items":{"type":"string","enum":["a","b"]},"description":"(at least 1 item, no item twice)"},` +
				`"t":{"type":"array","items":{"type":["number","string"]}}}}`,
		},
		{
			name:   "a property that a base has is refined",
			schema: `{"allOf":[{"properties":{"a":{"type":"string"}},"required":["a"]},{"properties":{"a":{"description":"The a.","minLength":3}}}]}`,
			want:   `{"type":"object","required":["a"],"properties":{"a":{"type":"string","description":"The a. (at least 3 characters)"}}}`,
		},
		{
			name:   "alternatives inside the only alternative",
			schema: `{"properties":{"a":{"anyOf":[{"oneOf":[{"type":"string"},{"type":"array","items":{"type":"string"}}]}]}}}`,
			want:   `{"type":"object","properties":{"a":{"anyOf":[{"type":"string"},{"type":"array","items":{"type":"string"}}]}}}`,
		},
		{
			name:   "alternatives of an object inside",
			schema: `{"properties":{"q":{"type":"object","properties":{"id":{"type":"string"},"name":{"type":"string"}},"anyOf":[{"required":["id"]},{"required":["name"]}]}}}`,
			want:   `{"type":"object","properties":{"q":{"type":"object","description":"(give either id, or name)","properties":{"id":{"type":"string"},"name":{"type":"string"}}}}}`,
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			parameters, note := convert(json.RawMessage(tt.schema))
			got, err := json.Marshal(parameters)
			if err != nil {
				t.Fatal(err)
			}
			if string(got) != tt.want {
				t.Errorf("converted to\n\t%s\nwant\n\t%s", got, tt.want)
			}
			if note != tt.note {
				t.Errorf("note %q, want %q", note, tt.note)
			}
		})
	}
}

func FuzzConvert(f *testing.F) {
	f.Add([]byte(`{"$defs":{"A":{"properties":{"a":{"$ref":"#/$defs/A"}}}},"properties":{"x":{"allOf":[{"$ref":"#/$defs/A"},true]},"y":{"enum":[1,"a",null,1e999]}},"required":["x",1]}`))
	f.Add([]byte(`{"oneOf":[{"properties":{"a":false}},{"required":["b"]}],"type":["object"],"properties":{"":{"const":{"x":[]}}}}`))
	f.Add([]byte(`{"properties":{"m":{"additionalProperties":{"items":[{},true]},"default":"\u0000é","not":{},"examples":[[]]}}}`))
	f.Add([]byte("{\"properties\":{\"\xff\":{\"description\":\"\xff\",\"pattern\":\"\\ud800\"}}}"))
	f.Fuzz(func(t *testing.T, schema []byte) {
		parameters, note := convert(schema)
		encoded, err := json.Marshal(api.Tool{Type: "function", Function: api.ToolFunction{Name: "t", Description: note, Parameters: parameters}})
		if err != nil {
			t.Fatalf("what %q converts to cannot be written: %v", schema, err)
		}
		var tool api.Tool
		if err := json.Unmarshal(encoded, &tool); err != nil {
			t.Fatalf("the server would refuse %s: %v", encoded, err)
		}
		again, _ := convert(schema)
		repeated, err := json.Marshal(api.Tool{Type: "function", Function: api.ToolFunction{Name: "t", Description: note, Parameters: again}})
		if err != nil || !bytes.Equal(encoded, repeated) {
			t.Errorf("two conversions of %q differ", schema)
		}
	})
}

// A short schema must not unfold without end, nor take long.
func TestSchemasUnfoldWithinBounds(t *testing.T) {
	repeat := func(n int, format string) string {
		var b strings.Builder
		for i := range n {
			fmt.Fprintf(&b, format, i, i+1)
		}
		return strings.TrimSuffix(b.String(), ",")
	}
	for name, tt := range map[string]struct {
		schema     string
		properties int
	}{
		"references that double": {`{"$defs":{` + repeat(40, `"a%d":{"properties":{"l":{"$ref":"#/$defs/a%[2]d"},"r":{"$ref":"#/$defs/a%[2]d"}}},`) + `},"properties":{"a":{"$ref":"#/$defs/a0"}}}`, 1},
		"a chain of references":  {`{"$defs":{` + repeat(4500, `"a%d":{"$ref":"#/$defs/a%d"},`) + `},"properties":{` + repeat(1400, `"p%d":{"$ref":"#/$defs/a0","title":"%d"},`) + `}}`, 1400},
		"a long form repeated":   {`{"$defs":{"long":{"description":"` + strings.Repeat("x", 100<<10) + `"}},"properties":{` + repeat(1000, `"p%d":{"$ref":"#/$defs/long","title":"%d"},`) + `}}`, 1000},
		"many forms":             {`{"anyOf":[` + repeat(1000, `{"properties":{"p%d":{"title":"%d"}}},`) + `]}`, maxForms},
	} {
		parameters, _ := convert(json.RawMessage(tt.schema))
		encoded, err := json.Marshal(parameters)
		if err != nil || len(encoded) > 1<<20 || parameters.Properties.Len() != tt.properties {
			t.Errorf("%s unfolds to %d properties and %d bytes, %v", name, parameters.Properties.Len(), len(encoded), err)
		}
	}
}
