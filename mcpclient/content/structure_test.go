package content

import (
	"encoding/json"
	"testing"
	"unicode/utf8"
)

const weatherSchema = `{"type":"object","properties":{"town":{"type":"string"},"degrees":{"type":["number","null"]},"rain":{"type":"boolean"},"days":{"type":"array"},"any":{}},"required":["town"]}`

func TestStructuredContentIsHeldAgainstItsSchema(t *testing.T) {
	for content, want := range map[string]string{
		`{"town":"Oslo","degrees":-3.5,"rain":true,"days":[],"any":1,"more":{}}`: "",
		`{"town":"Oslo","degrees":null}`:                                         "",
		`{"degrees":"cold"}`:                                                     `"degrees" is no number or null, "town" is missing`,
		`{"town":7,"rain":"yes","days":{},"degrees":[]}`:                         `"days" is no array, "degrees" is no number or null, "rain" is no boolean, and 1 more`,
		`[1]`: "it is no object",
	} {
		if got := misfit(json.RawMessage(content), json.RawMessage(weatherSchema)); got != want {
			t.Errorf("%s: got %q, want %q", content, got, want)
		}
	}
	for _, schema := range []string{``, `null`, `true`, `[]`, `{"properties":{"town":true}}`, `{"required":7}`, `{"properties":[]}`} {
		if got := misfit(json.RawMessage(`{"town":7}`), json.RawMessage(schema)); got != "" {
			t.Errorf("the schema %s asks for nothing, and yet: %q", schema, got)
		}
	}
	result, err := ReadResult(json.RawMessage(`{"content":[],"structuredContent":{"degrees":3}}`), json.RawMessage(weatherSchema))
	if want := `{"degrees":3}` + "\n" + `[This is not what the tool announces: "town" is missing.]`; err != nil || result.Text != want {
		t.Errorf("the model reads %q, %v; want %q", result.Text, err, want)
	}
}

func FuzzStructure(f *testing.F) {
	f.Add([]byte(`{"town":7}`), []byte(weatherSchema))
	f.Add([]byte(`{"\ud800":[`), []byte(`{"required":["\u001b[2J"]}`))
	f.Fuzz(func(t *testing.T, content, schema []byte) {
		if odd := misfit(content, schema); !utf8.ValidString(odd) || len(odd) > 1000 {
			t.Errorf("it says %q", odd)
		}
	})
}
