package jsonschema_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/aloudchat/aloud/internal/jsonschema"
	"github.com/aloudchat/aloud/provider/providertest"
)

func TestCompleteKeepsValidSchemas(t *testing.T) {
	for _, schema := range []string{
		`{"type":"object","properties":{"city":{"type":"string"}}}`,
		`{"type":"object","properties":{"a":{"anyOf":[{"type":"string"},{"type":"null"}]},"b":{"type":"array",` +
			`"items":{"type":["integer","null"],"minimum":0},"uniqueItems":true}},"required":["a"],` +
			`"additionalProperties":false}`,
		`{"type":"object","properties":{"env":{"additionalProperties":{"enum":["a",1,null]},"x-order":7}}}`,
	} {
		if got := string(jsonschema.Complete(json.RawMessage(schema))); got != schema {
			t.Errorf("%s\nbecomes %s", schema, got)
		}
	}
}

// TestCompleteMendsOddSchemas reads testdata/complete.txt.
func TestCompleteMendsOddSchemas(t *testing.T) {
	file, err := os.ReadFile("testdata/complete.txt")
	if err != nil {
		t.Fatal(err)
	}
	for _, paragraph := range strings.Split(strings.TrimSpace(string(file)), "\n\n")[1:] {
		lines := strings.Split(paragraph, "\n")
		if got := string(jsonschema.Complete(json.RawMessage(lines[1]))); got != lines[2] {
			t.Errorf("%s becomes %s\nwant %s", lines[0], got, lines[2])
		}
	}
}

// TestCompleteForbidsNoAlternative checks that arguments that fit one of several alternatives fit the completed schema.
func TestCompleteForbidsNoAlternative(t *testing.T) {
	for schema, arguments := range map[string][]string{
		`{"anyOf":[{"properties":{"v":{"type":"string"}}},{"properties":{"v":{"type":"integer","minimum":3}}}]}`: {
			`{"v":"a"}`, `{"v":3}`},
		`{"anyOf":[{"properties":{"v":{"enum":["a"]}}},{"properties":{"v":{"type":"string"}}},` +
			`{"properties":{"v":{"enum":[1]}}}]}`: {`{"v":"a"}`, `{"v":"b"}`, `{"v":1}`},
		`{"anyOf":[{"properties":{"v":{"properties":{"a":{"type":"string"}},"required":["a"]}}},` +
			`{"properties":{"v":{"properties":{"a":{"type":"integer"}}}}}]}`: {`{"v":{"a":"x"}}`, `{"v":{"a":1}}`, `{"v":{}}`},
		`{"properties":{"v":{"type":"string"}},"anyOf":[{"properties":{"v":{"maxLength":1}}},{"required":["w"]}]}`: {
			`{"v":"a"}`, `{"v":"long","w":1}`},
	} {
		original, _ := jsonschema.Parse(json.RawMessage(schema))
		completed, _ := jsonschema.Parse(jsonschema.Complete(json.RawMessage(schema)))
		for _, text := range arguments {
			value, _ := jsonschema.Decode([]byte(text))
			for name, s := range map[string]jsonschema.Schema{"original": original, "completed": completed} {
				if faults, _ := new(jsonschema.Check).Validate(s, value); len(faults) > 0 {
					t.Errorf("%s %s: %s has the faults %v", name, schema, text, faults)
				}
			}
		}
	}
}

func TestCompleteIsBounded(t *testing.T) {
	double := ""
	for i := range 40 {
		double += fmt.Sprintf(`"a%d":{"properties":{"l":{"$ref":"#/$defs/a%d"},"r":{"$ref":"#/$defs/a%[2]d"}}},`, i, i+1)
	}
	names := many(20_000, `"%x"`)
	for name, schema := range map[string]string{
		"deep":                        strings.Repeat(`{"properties":{"a":`, 90) + `{}` + strings.Repeat(`}}`, 90),
		"doubling":                    `{"$defs":{` + double + `"z":{}},"$ref":"#/$defs/a0"}`,
		"many properties":             `{"properties":{` + strings.Repeat(`"a":{},`, 100_000) + `"b":{}}}`,
		"long description":            `{"properties":{"a":{"description":"` + strings.Repeat("x", 1<<20) + `"}}}`,
		"long enumeration":            `{"properties":{"a":{"enum":[` + strings.Repeat(`"abcdef",`, 100_000) + `0]}}}`,
		"short names":                 `{"required":[` + names + `]}`,
		"short names in alternatives": `{"anyOf":[{"required":[` + names + `]},{"required":[` + names + `]}]}`,
	} {
		got := jsonschema.Complete(json.RawMessage(schema))
		if depth := strings.Count(string(got), `{"properties"`); len(got) > 80<<10 || name == "deep" && depth != 16 {
			t.Errorf("%s: %d bytes, %d deep", name, len(got), depth)
		}
	}
}

// FuzzComplete checks that a strict server accepts every completed schema.
func FuzzComplete(f *testing.F) {
	f.Add([]byte(`{"type":["object"],"anyOf":[{"required":{"a":1}},{"$ref":"#/$defs/x"}],"$defs":{"x":{"allOf":[true]}}}`))
	f.Add([]byte(`{"properties":{"a":{"items":[true],"not":true,"enum":[],"minLength":"1","contains":{"$ref":"#"}}}}`))
	f.Add([]byte(`{"properties":{"a":{"additionalProperties":{"$ref":"#"},"patternProperties":{"b":0}}}}`))
	f.Add([]byte(`{"properties":{"":{"type":["array","x"],"anyOf":[],"oneOf":[1],"properties":{"$ref":{"$ref":"#"}}}}}`))
	f.Fuzz(func(t *testing.T, schema []byte) {
		got := jsonschema.Complete(schema)
		body := fmt.Sprintf(`{"tools":[{"function":{"name":"t","parameters":%s}}]}`, got)
		if refusal := providertest.RefuseTools([]byte(body)); refusal != "" {
			t.Fatalf("%s\nbecomes %s\n%s", schema, got, refusal)
		}
		if again := jsonschema.Complete(got); !bytes.Equal(again, got) {
			t.Errorf("%s\nbecomes %s\n   then %s", schema, got, again)
		}
	})
}
