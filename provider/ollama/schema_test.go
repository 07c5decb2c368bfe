package ollama

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/ollama/ollama/api"
)

// TestConvert reads schemas of real servers and their conversions from testdata/schemas.txt.
func TestConvert(t *testing.T) {
	cases, err := os.ReadFile("testdata/schemas.txt")
	must(t, err)
	for _, paragraph := range strings.Split(strings.TrimSpace(string(cases)), "\n\n")[1:] {
		lines := strings.Split(paragraph, "\n")
		name, schema, want := lines[0], lines[1], lines[2]
		got, err := json.Marshal(convert(json.RawMessage(schema)))
		if err != nil || string(got) != want {
			t.Errorf("%s: converted to\n\t%s\nwant\n\t%s\n%v", name, got, want, err)
		}
	}
}

func FuzzConvert(f *testing.F) {
	f.Add([]byte(`{"$defs":{"A":{"properties":{"a":{"$ref":"#/$defs/A"}}}},"properties":{` +
		`"x":{"allOf":[{"$ref":"#/$defs/A"},true]},"y":{"enum":[1,"a",null,1e999]}},"required":["x",1]}`))
	f.Add([]byte(`{"oneOf":[{"properties":{"a":false}},{"required":["b"]}],"properties":{"":{"const":{"x":[]}}}}`))
	f.Add([]byte(`{"properties":{"m":{"additionalProperties":{"items":[{},true]},"default":"\u0000é","not":{}}}}`))
	f.Add([]byte("{\"properties\":{\"\xff\":{\"description\":\"\xff\",\"pattern\":\"\\ud800\"}}}"))
	f.Fuzz(func(t *testing.T, schema []byte) {
		encoded, err := json.Marshal(api.Tool{Function: api.ToolFunction{Name: "t", Parameters: convert(schema)}})
		if err != nil {
			t.Fatalf("what %q converts to cannot be written: %v", schema, err)
		}
		var tool api.Tool
		if err := json.Unmarshal(encoded, &tool); err != nil {
			t.Fatalf("the server would refuse %s: %v", encoded, err)
		}
		repeated, err := json.Marshal(api.Tool{Function: api.ToolFunction{Name: "t", Parameters: convert(schema)}})
		if err != nil || !bytes.Equal(encoded, repeated) {
			t.Errorf("two conversions of %q differ", schema)
		}
	})
}

// TestConversionIsBounded checks time and size for schemas whose references multiply.
func TestConversionIsBounded(t *testing.T) {
	repeat := func(n int, format string) string {
		var b strings.Builder
		for i := range n {
			fmt.Fprintf(&b, format, i, i+1)
		}
		return strings.TrimSuffix(b.String(), ",")
	}
	many := func(form, in string) string {
		return `{"$defs":{"a":{` + form + `}},` + in + `}`
	}
	all := `"properties":{` + repeat(700, `"p%d":{"$ref":"#/$defs/a","title":"%d"},`) + `}`
	parts := `"allOf":[` + repeat(100, `{"$ref":"#/$defs/a","title":"%d%d"},`) + `]`
	numbers := repeat(20_000, `"%[1]d",`)
	for name, schema := range map[string]string{
		"references that double": `{"$defs":{` +
			repeat(40, `"a%d":{"properties":{"l":{"$ref":"#/$defs/a%[2]d"},"r":{"$ref":"#/$defs/a%[2]d"}}},`) +
			`},"properties":{"a":{"$ref":"#/$defs/a0"}}}`,
		"a chain of references": `{"$defs":{` + repeat(4500, `"a%d":{"$ref":"#/$defs/a%d"},`) +
			`},"properties":{` + repeat(1400, `"p%d":{"$ref":"#/$defs/a0","title":"%d"},`) + `}}`,
		"a long schema repeated":  many(`"description":"`+strings.Repeat("x", 100<<10)+`"`, all),
		"names that are needed":   many(`"properties":{"q":{}},"required":[`+numbers+`]`, all),
		"the same names in parts": many(`"required":[`+numbers+`]`, `"properties":{"p":{`+parts+`}}`),
		"a long name":             many(`"properties":{"`+strings.Repeat("x", 200<<10)+`":{}}`, all),
		"a long default":          many(`"default":[`+numbers+`]`, all),
		"the same properties":     many(`"properties":{`+repeat(15_000, `"%05d":%d,`)+`}`, parts),
		"many forms":              `{"anyOf":[` + repeat(1000, `{"properties":{"p%d":{"title":"%d"}}},`) + `]}`,
	} {
		parameters := convert(json.RawMessage(schema))
		encoded, err := json.Marshal(parameters)
		if err != nil || len(encoded) > 1<<20 || parameters.Properties.Len() == 0 {
			t.Errorf("%s unfolds to %d properties and %d bytes, %v", name, parameters.Properties.Len(), len(encoded), err)
		}
	}
}
