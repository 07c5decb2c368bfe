package conn

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/aloudchat/aloud/internal/sanitize"
	"github.com/aloudchat/aloud/internal/secret"
)

const weatherSchema = `{"type":"object","properties":{"town":{"type":"string","minLength":2},
	"degrees":{"type":["number","null"]},"rain":{"type":"boolean"},
	"days":{"type":"array","items":{"$ref":"#/$defs/day"}},"a/b":{"type":"integer"}},"required":["town"],
	"$defs":{"day":{"type":"object","properties":{"low":{"type":"number","minimum":-90}},"required":["low"],
	"additionalProperties":false}}}`

func TestFit(t *testing.T) {
	for content, want := range map[string]string{
		`{"town":"Oslo","degrees":-3.5,"rain":true,"days":[{"low":1}],"more":{}}`: "",
		`{"town":"Oslo","degrees":null}`:                                          "",
		`{"degrees":"cold"}`: "/degrees: expected number or null;" +
			" /town: is missing",
		`{"town":7,"rain":"yes","days":{},"degrees":[]}`: "/days: expected array;" +
			" /degrees: expected number or null; /rain: expected boolean; and 1 more",
		`{"town":"Oslo","days":[{"low":-91},{"low":"1","x":1}]}`: "/days/0/low: must be at least -90;" +
			" /days/1/low: expected number; /days/1/x: is not allowed",
		`{"town":"O"}`:             "/town: must have at least 2 characters",
		`{"town":"Oslo","a/b":""}`: "/a~1b: expected integer",
		`[1]`:                      "expected object",
	} {
		if got := fit(json.RawMessage(content), json.RawMessage(weatherSchema), secret.Hider{}); got != want {
			t.Errorf("%s: got %q, want %q", content, got, want)
		}
	}
	for _, schema := range []string{``, `null`, `true`, `[]`, `{`} {
		if got := fit(json.RawMessage(`{"town":7}`), json.RawMessage(schema), secret.Hider{}); got != "" {
			t.Errorf("of the schema %s nobody knows what it asks for, and yet: %q", schema, got)
		}
	}
	result, err := readResult(json.RawMessage(`{"content":[],"structuredContent":{"degrees":3}}`),
		json.RawMessage(weatherSchema), secret.Hider{})
	if want := `{"degrees":3}` + "\n" +
		`[This does not match the output schema of the tool: /town: is missing.]`; err != nil || result.Text != want {
		t.Errorf("the model reads %q, %v; want %q", result.Text, err, want)
	}
	result, err = readResult(json.RawMessage(`{"content":[],"structuredContent":{"town":"Oslo"}}`),
		json.RawMessage(weatherSchema), secret.Hider{})
	if err != nil || result.Odd != "" {
		t.Errorf("%+v, %v", result, err)
	}
}

func TestFitWithHostileSchema(t *testing.T) {
	nest := strings.Repeat(`{"a":`, 150) + "1" + strings.Repeat("}", 150)
	long := `"` + strings.Repeat("x\\u001b[31m", 10_000) + `"`
	for name, test := range map[string]struct {
		schema, content string
		odd             bool
	}{
		"work that doubles": {`{"properties":{"a":{"allOf":[{"$ref":"#"},{"$ref":"#"}]}},"required":["b"]}`, nest, false},
		"a huge value":      {`{"type":"object"}`, `{"a":"` + strings.Repeat("x", maxChecked) + `"}`, false},
		"long words": {`{"additionalProperties":{"enum":[` + long + `]},"required":[` + long + `]}`,
			`{` + long + `:1}`, true},
		"a large schema": {manyProperties(500), `{"p1":7}`, true},
		"many faults":    {`{"items":{"type":"string"}}`, "[" + strings.Repeat("1,", 20_000) + "1]", true},
	} {
		odd := fit(json.RawMessage(test.content), json.RawMessage(test.schema), secret.Hider{})
		if (odd != "") != test.odd || len(odd) > 1000 || odd != sanitize.Line(odd) {
			t.Errorf("%s: %.2000q", name, odd)
		}
	}
}

// TestFitHidesSecrets checks that a long secret, as a value or a name, does not appear in the faults.
func TestFitHidesSecrets(t *testing.T) {
	long := "sesame" + strings.Repeat("/A~b'0 ", 60)
	hidden := secret.Hide([]string{long, "31415926535"}, func() []string { return []string{"open" + long} })
	name, _ := json.Marshal(strings.Repeat("n", 50) + long)
	value, _ := json.Marshal("open" + long)
	for announced, content := range map[string]string{
		`{"items":{"pattern":"^\\d+$"}}`:                          `[` + string(value) + `]`,
		`{"items":{"enum":["a"]}}`:                                `[` + string(value) + `]`,
		`{"items":{"const":"a"}}`:                                 `[` + string(value) + `]`,
		`{"items":{"format":"date"}, "maxItems":0}`:               `[` + string(value) + `]`,
		`{"additionalProperties":false}`:                          `{` + string(name) + `:1,` + string(value) + `:2}`,
		`{"additionalProperties":{"additionalProperties":false}}`: `{"x":{` + string(name) + `:{"b":1}}}`,
		`{"items":{"maximum":7}}`:                                 `[31415926535]`,
		`{"items":{"multipleOf":7,"minimum":1e20}}`:               `[31415926535]`,
	} {
		odd := fit(json.RawMessage(content), json.RawMessage(announced), hidden)
		if odd == "" || strings.Contains(odd, "sesame") || strings.Contains(odd, "A~") || strings.Contains(odd, "3.14") ||
			len(odd) > 300 {
			t.Errorf("%s: %q", announced, odd)
		}
	}
	for _, raw := range []string{
		`{"other":"` + strings.Repeat("x", maxUnknown-100) + string(value[1:]) + `}`,
		`{"content":{"type":"new","x":"` + strings.Repeat("x", maxUnknown-100) + string(value[1:]) + `}}`,
	} {
		r, err := readResult(json.RawMessage(raw), nil, hidden)
		if err != nil || strings.Contains(r.Text, "A~") || len(r.Text) < maxUnknown-100 {
			t.Errorf("%q, %v", r.Text, err)
		}
	}
}

// TestStructuredContentBesideText checks that the model reads structured content, unless the text has all its values.
func TestStructuredContentBesideText(t *testing.T) {
	const short = `"ok, 1 item"`
	for _, test := range []struct {
		texts   string // of the parts, in JSON
		content string
		added   bool
	}{
		{short, `{"items":[{"name":"lamp","price":5}]}`, true},
		{short, `{"items":[{"name":"ok","count":1}]}`, false},
		{short, `{"count":1,"items":[{"id":1}]}`, true},         // 1 is there only once
		{short, `{"items":["k"]}`, true},                        // a part of a word
		{`"1.5 and 10"`, `[1, 5]`, true},                        // parts of numbers
		{`"it costs 5"`, `{"price":5.0}`, false},                // written differently
		{`"done"`, `{"items":[],"note":null,"text":""}`, false}, // nothing is missing
		{`"done"`, `{"ok":true}`, true},
		{`"It is 22.5 degrees in \"Rome\", as on the\nday before."`, `{"town":"Rome","at":[22.5]}`, false},
		{`"{\n  \"b\": 1.0,\n  \"a\": \"caf\\u00e9\\/\"\n}"`, `{"a":"café/","b":1}`, false},
		{`"{\"a\":1}","{\"a\":1}"`, `{"result":[{"a":1},{"a":1}]}`, false},
		{`"{\"a\":1}"`, `{"result":[{"a":1},{"a":2}]}`, true},
		{`"a long text\nof two lines"`, `{"result":"a long text\nof two lines"}`, false},
		{short, `[1e999]`, true},
		{short, strings.Repeat("[", 3000) + strings.Repeat("]", 3000), true},
		{short, "[" + strings.Repeat(`"lamp",`, 100_000) + `1]`, true},
	} {
		var texts, parts []string
		if err := json.Unmarshal([]byte("["+test.texts+"]"), &texts); err != nil {
			t.Fatal(err)
		}
		for _, text := range texts {
			part, _ := json.Marshal(map[string]string{"type": "text", "text": text})
			parts = append(parts, string(part))
		}
		raw := `{"content":[` + strings.Join(parts, ",") + `],"structuredContent":` + test.content + `}`
		r, err := readResult(json.RawMessage(raw), nil, secret.Hider{})
		_, more, added := strings.Cut(r.Text, "[structured content]\n")
		if err != nil || added != test.added || added && !strings.HasPrefix(test.content, strings.TrimSuffix(more, "…")) ||
			len(more) > maxAdded+10 {
			t.Errorf("%.100s %.100s: %.200q, %v", test.texts, test.content, r.Text, err)
		}
	}
}

func TestAddedStructureHidesSecretsAndNamesFaults(t *testing.T) {
	raw := `{"content":[{"type":"text","text":"ok"}],"structuredContent":{"key":"s\u0065same-open","n":"x"}}`
	schema := `{"properties":{"n":{"type":"number"}}}`
	r, err := readResult(json.RawMessage(raw), json.RawMessage(schema), secret.Hide([]string{"sesame-open"}, nil))
	want := "ok\n[structured content]\n" + `{"key":"•••","n":"x"}` +
		"\n[This does not match the output schema of the tool: /n: "
	if err != nil || !strings.HasPrefix(r.Text, want) {
		t.Errorf("%q, %v", r.Text, err)
	}
}

// manyProperties returns a schema with n properties.
func manyProperties(n int) string {
	words := make([]string, n)
	for i := range words {
		words[i] = fmt.Sprintf(`"p%d":{"type":"string"}`, i)
	}
	return `{"properties":{` + strings.Join(words, ",") + `}}`
}

func FuzzStructure(f *testing.F) {
	f.Add([]byte(`{"town":7}`), []byte(weatherSchema))
	f.Add([]byte(`{"\ud800":[`), []byte(`{"required":["\u001b[2J"]}`))
	f.Fuzz(func(t *testing.T, content, schema []byte) {
		if odd := fit(content, schema, secret.Hider{}); !utf8.ValidString(odd) || len(odd) > 1000 {
			t.Errorf("it says %q", odd)
		}
	})
}
