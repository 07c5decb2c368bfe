package repair

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"unicode/utf8"
)

// tool has the schema of an everyday tool.
const tool = `{"type":"object","required":["path"],"additionalProperties":false,"properties":{
	"path":{"type":"string"},"count":{"type":"integer"},"ratio":{"type":"number"},"deep":{"type":"boolean"},
	"tags":{"type":"array","items":{"type":"string"}},"sizes":{"type":"array","items":{"type":"integer"}},
	"mode":{"enum":["Fast","slow"]},"level":{"type":"integer","enum":[1,2]},"maybe":{"type":["string","null"]},"nothing":{"type":["integer","null"]},
	"options":{"type":"object","properties":{"lineNumbers":{"type":"boolean"}},"additionalProperties":false},
	"edits":{"type":"array","items":{"$ref":"#/$defs/edit"}},
	"either":{"anyOf":[{"type":"integer"},{"type":"array","items":{"type":"integer"}}]},
	"max_results":{"type":"integer"}},
	"$defs":{"edit":{"type":"object","required":["line"],"properties":{"line":{"type":"integer"},"then":{"$ref":"#/$defs/edit"}}}}}`

func TestArgumentsAreMendedWithoutLoss(t *testing.T) {
	tests := []struct{ name, in, want, repairs string }{
		{"valid", `{ "path": "a",  "count":3.0 }`, `{ "path": "a",  "count":3.0 }`, ""},
		{"in a string", `"{\"path\":\"a\"}"`, `{"path":"a"}`, ""},
		{"integer", `{"count":"3","path":"a"}`, `{"count":3,"path":"a"}`, `count: "3" → 3`},
		{"integer with a point", `{"path":"a","count":"3.0"}`, `{"path":"a","count":3}`, `count: "3.0" → 3`},
		{"all digits", `{"path":"a","count":"12345678901234567890123"}`, `{"path":"a","count":12345678901234567890123}`, `count: "12345678901234567890123" → 12345678901234567890123`},
		{"half a number", `{"path":"a","ratio":".5"}`, `{"path":"a","ratio":0.5}`, `ratio: ".5" → 0.5`},
		{"number", `{"path":"a","ratio":"0.50"}`, `{"path":"a","ratio":0.50}`, `ratio: "0.50" → 0.50`},
		{"string", `{"path":3.10}`, `{"path":"3.10"}`, `path: 3.10 → "3.10"`},
		{"boolean", `{"path":"a","deep":"True"}`, `{"path":"a","deep":true}`, `deep: "True" → true`},
		{"null", `{"path":"a","nothing":"null"}`, `{"path":"a","nothing":null}`, `nothing: "null" → null`},
		{"null that may stay", `{"path":"a","maybe":null}`, `{"path":"a","maybe":null}`, ""},
		{"null that may not", `{"path":"a","count":null}`, `{"path":"a"}`, `count: null dropped`},
		{"nothing in words", `{"path":"","count":"","deep":"None","sizes":"","tags":"none"}`, `{"path":"","tags":["none"]}`,
			`count: "" dropped; deep: "None" dropped; sizes: "" dropped; tags: "none" → ["none"]`},
		{"a list in a string", `{"path":"a","sizes":"[1, 2]"}`, `{"path":"a","sizes":[1,2]}`, `sizes: "[1, 2]" → [1,2]`},
		{"one for a list", `{"path":"a","sizes":"1"}`, `{"path":"a","sizes":[1]}`, `sizes: "1" → [1]`},
		{"words for a list", `{"path":"a","tags":"b, c"}`, `{"path":"a","tags":["b, c"]}`, `tags: "b, c" → ["b, c"]`},
		{"elements", `{"path":"a","sizes":["1",2]}`, `{"path":"a","sizes":[1,2]}`, `sizes[0]: "1" → 1`},
		{"an object in a string", `{"path":"a","options":"{\"line_numbers\":\"true\"}"}`, `{"path":"a","options":{"lineNumbers":true}}`,
			`options: "{\"line_numbers\":\"true\"}" → {"line_numbers":"true"}; options.line_numbers → lineNumbers; options.lineNumbers: "true" → true`},
		{"enum", `{"path":"a","mode":"FAST"}`, `{"path":"a","mode":"Fast"}`, `mode: "FAST" → "Fast"`},
		{"enum of numbers", `{"path":"a","level":"2"}`, `{"path":"a","level":2}`, `level: "2" → 2`},
		{"names", `{"Path":"a","maxResults":5}`, `{"path":"a","max_results":5}`, `Path → path; maxResults → max_results`},
		{"through references", `{"path":"a","edits":[{"line":"1","then":{"line":"2"}}]}`, `{"path":"a","edits":[{"line":1,"then":{"line":2}}]}`,
			`edits[0].line: "1" → 1; edits[0].then.line: "2" → 2`},
		{"either", `{"path":"a","either":["1"]}`, `{"path":"a","either":[1]}`, `either[0]: "1" → 1`},
		{"either in a string", `{"path":"a","either":"1"}`, `{"path":"a","either":1}`, `either: "1" → 1`},
		{"wrapped", `{"arguments":{"path":"a","count":"3"}}`, `{"path":"a","count":3}`, `unwrapped from "arguments"; count: "3" → 3`},
		{"wrapped with the name", `{"name":"read","arguments":{"path":"a"}}`, `{"path":"a"}`, `unwrapped from "arguments"`},
		{"like a schema", `{"type":"object","properties":{"path":"a"}}`, `{"path":"a"}`, `unwrapped from "properties"`},
		{"broken", `{'path': 'a', count: 3,}`, `{"path":"a","count":3}`, `invalid JSON repaired`},
		{"order", `{"ratio":1,"path":2,"deep":true}`, `{"ratio":1,"path":"2","deep":true}`, `path: 2 → "2"`},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			fixed, repairs, complaint := check(json.RawMessage(tool), json.RawMessage(test.in))
			if string(fixed) != test.want || strings.Join(repairs, "; ") != test.repairs || complaint != "" {
				t.Errorf("%s (%s) %q; want %s (%s)", fixed, strings.Join(repairs, "; "), complaint, test.want, test.repairs)
			}
		})
	}
}

// TestMendingFollowsTheSchema has schemas in which the type of a value is said somewhere else than at its property.
func TestMendingFollowsTheSchema(t *testing.T) {
	const draft7 = `"$schema":"http://json-schema.org/draft-07/schema#",`
	tests := []struct{ name, schema, in, want string }{
		{"all optional, wrapped", `{"properties":{"a":{"type":"integer"}}}`, `{"arguments":{"a":"1"}}`, `{"a":1}`},
		{"wrapped in a string", `{"properties":{"a":{"type":"integer"}}}`, `{"input":"{\"a\":1}"}`, `{"a":1}`},
		{"not wrapped: it knows none of what is inside", `{"properties":{"a":{"type":"integer"}}}`, `{"arguments":{"b":1}}`, `{"arguments":{"b":1}}`},
		{"not wrapped: it is a property", `{"properties":{"input":{"type":"object"},"a":{}}}`, `{"input":{"a":1}}`, `{"input":{"a":1}}`},
		{"places", `{"properties":{"a":{"prefixItems":[{"type":"integer"}],"items":{"type":"boolean"}}}}`, `{"a":["1","true"]}`, `{"a":[1,true]}`},
		{"places of old", `{` + draft7 + `"properties":{"a":{"items":[{"type":"integer"}],"additionalItems":{"type":"boolean"}}}}`, `{"a":["1","true"]}`, `{"a":[1,true]}`},
		{"not wrapped: what is beside it is a property", `{"properties":{"name":{},"a":{"type":"integer"}}}`, `{"name":"x","arguments":{"a":1}}`, `{"name":"x","arguments":{"a":1}}`},
		{"words behind a list", `{"properties":{"a":{"type":["array","string"]}}}`, `{"a":"[1] and more"}`, `{"a":"[1] and more"}`},
		{"words behind a list that is wanted", `{"properties":{"a":{"items":{"type":"string"},"type":"array"}}}`, `{"a":"[1] and more"}`, `{"a":["[1] and more"]}`},
		{"other names", `{"additionalProperties":{"type":"integer"}}`, `{"a":"1"}`, `{"a":1}`},
		{"all of", `{"allOf":[{"properties":{"a":{"type":"integer"}}},{"required":["b"],"properties":{"b":{"type":"boolean"}}}]}`, `{"a":"1","B":"true"}`, `{"a":1,"b":true}`},
		{"itself", `{"$id":"https://example.com/a","properties":{"a":{"$ref":"#"},"n":{"type":"integer"}}}`, `{"a":{"a":{"n":"1"}}}`, `{"a":{"a":{"n":1}}}`},
		{"the root", `{"$ref":"#/definitions/a","definitions":{"a":{"properties":{"n":{"type":"integer"}}}}}`, `{"n":"1"}`, `{"n":1}`},
		{"true as a word", `{"properties":{"a":{"type":"string"}}}`, `{"a":true}`, `{"a":"true"}`},
		{"brackets mixed up", `{}`, `{"a":[{"b":1},"c":[2}}`, ""},
		{"a bracket forgotten", `{}`, `{"a":[{"b":[1,2},{"c":3}]}`, `{"a":[{"b":[1,2]},{"c":3}]}`},
		{"a number that is too large", `{"properties":{"a":{"type":"number"}}}`, `{"a":"1e999"}`, ""},
		{"no default is made up", `{"required":["a"],"properties":{"a":{"default":1}}}`, `{}`, ""},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			fixed, _, complaint := check(json.RawMessage(test.schema), json.RawMessage(test.in))
			if complaint == "" && string(fixed) != test.want || (complaint != "") != (test.want == "") {
				t.Errorf("%s %q, want %s", fixed, complaint, test.want)
			}
		})
	}
}

func TestManyRepairsAreToldInShort(t *testing.T) {
	list := strings.Repeat(`"1",`, 99) + `"1"`
	_, repairs, _ := check(json.RawMessage(`{"properties":{"a":{"items":{"type":"integer"}}}}`), json.RawMessage(`{"a":[`+list+`]}`))
	if len(repairs) != 21 || repairs[20] != "and 80 more" {
		t.Errorf("%q", repairs)
	}
}

func TestComplaintsTellTheModelWhatToMend(t *testing.T) {
	const known = ` Known arguments: path (string, required), count (integer), ratio (number), deep (boolean), tags (array), sizes (array), ` +
		`mode (one of "Fast", "slow"), level (one of 1, 2), maybe (string or null), nothing (integer or null), options (object), edits (array), ` +
		`either (array or integer), max_results (integer). Call it again with these mended.`
	tests := []struct{ name, in, want string }{
		{"type and missing", `{"count":"three"}`, `The arguments do not fit the tool. count: expected integer, got "three". path: is missing.` + known},
		{"unknown", `{"path":"a","foo":1}`, `The arguments do not fit the tool. foo: is not allowed.` + known},
		{"enum", `{"path":"a","mode":"medium"}`, `The arguments do not fit the tool. mode: expected one of "Fast", "slow", got "medium".` + known},
		{"either", `{"path":"a","either":"x"}`, `The arguments do not fit the tool. either: expected array or integer, got "x".` + known},
		{"deep inside", `{"path":"a","edits":[{"line":1,"then":{}}]}`, `The arguments do not fit the tool. edits[0].then.line: is missing.` + known},
		{"the rest is mended", `{"Path":"a","count":1.5}`, `The arguments do not fit the tool. count: expected integer, got 1.5.` + known},
		{"no object", `[1]`, `The arguments are not a JSON object: "[1]". Call the tool again with an object, such as {}.`},
		{"prose", `the file a`, `The arguments are not a JSON object: "the file a". Call the tool again with an object, such as {}.`},
		{"cut off", `{"path":"a/b`, `The arguments are not a JSON object: "{\"path\":\"a/b". Call the tool again with an object, such as {}.`},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			fixed, repairs, complaint := check(json.RawMessage(tool), json.RawMessage(test.in))
			if complaint != test.want || len(repairs) != 0 || fixed[0] != '{' {
				t.Errorf("%s %q\n got %s\nwant %s", fixed, repairs, complaint, test.want)
			}
		})
	}
}

// TestFormsAreToldApart has values that may have several forms: the complaint is about the one that was meant.
func TestFormsAreToldApart(t *testing.T) {
	const schema = `{"properties":{
		"order":{"anyOf":[{"const":"asc"},{"const":"desc"}]},
		"shape":{"oneOf":[
			{"type":"object","properties":{"kind":{"const":"circle"},"radius":{"type":"number"}},"required":["kind","radius"]},
			{"type":"object","properties":{"kind":{"const":"square"},"side":{"type":"number"}},"required":["kind","side"]}]},
		"limit":{"anyOf":[{"type":"integer","minimum":1},{"type":"null"}]}}}`
	const known = ` Known arguments: order, shape (object), limit (integer or null). Call it again with these mended.`
	tests := []struct{ in, want string }{
		{`{"order":"up"}`, `order: expected one of "asc", "desc", got "up".`},
		{`{"shape":{"kind":"square","side":"wide"}}`, `shape.side: expected number, got "wide".`},
		{`{"shape":{"kind":"circle"}}`, `shape.radius: is missing.`},
		{`{"limit":"0"}`, `limit: expected integer or null, got "0".`},
		{`{"limit":"many"}`, `limit: expected integer or null, got "many".`},
	}
	for _, test := range tests {
		if _, _, complaint := check(json.RawMessage(schema), json.RawMessage(test.in)); complaint != "The arguments do not fit the tool. "+test.want+known {
			t.Errorf("%s:\n got %s\nwant %s", test.in, complaint, test.want)
		}
	}
	for in, want := range map[string]string{`{"order":"DESC"}`: `{"order":"desc"}`, `{"limit":"7"}`: `{"limit":7}`, `{"shape":"{\"kind\":\"square\",\"side\":\"2\"}"}`: `{"shape":{"kind":"square","side":2}}`} {
		if fixed, _, complaint := check(json.RawMessage(schema), json.RawMessage(in)); string(fixed) != want {
			t.Errorf("%s became %s, want %s: %s", in, fixed, want, complaint)
		}
	}
}

func TestSchemasThatSayNothing(t *testing.T) {
	for _, schema := range []string{``, `null`, `{}`, `true`, `[]`, `"object"`, `{`, `{"type":5}`, `{"$ref":"https://example.com/schema.json"}`,
		`{"$ref":"file:///etc/passwd"}`, `{"$schema":"https://example.com/mine"}`, `{"$ref":"#"}`, `{"properties":{"a":{"$ref":"#/nowhere"}}}`,
		`{"properties":{"a":{"minimum":1e999999999}}}`, `{"properties":{"a":{"pattern":"^(?!b)"}}}`, `{"properties":{"a":{"format":"email"}}}`,
		`{"$schema":"http://json-schema.org/draft-07/schema#","properties":{"a":{"format":"email"}}}`,
		`{"patternProperties":{"^(?!b)":{"type":"null"}},"additionalProperties":false}`} {
		for range 2 {
			fixed, repairs, complaint := check(json.RawMessage(schema), json.RawMessage(`{"a":"b"}`))
			if string(fixed) != `{"a":"b"}` || len(repairs) != 0 || complaint != "" {
				t.Errorf("%s: %s %q %q", schema, fixed, repairs, complaint)
			}
		}
	}
}

func TestNoArgumentsAreAnEmptyObject(t *testing.T) {
	for _, none := range []string{"", " ", "null", `""`, `"null"`, "{}"} {
		if fixed, _, complaint := check(json.RawMessage(`{"type":"object"}`), json.RawMessage(none)); string(fixed) != "{}" || complaint != "" {
			t.Errorf("%q: %s %q", none, fixed, complaint)
		}
	}
}

// FuzzCheck: whatever comes, there is an object, and nothing grows without bound. What was mended is valid.
func FuzzCheck(f *testing.F) {
	for _, given := range []string{`{"path":"a"}`, `{"count":"3"}`, `"{\"a\":1}"`, `{'a':"b`, `{"arguments":{"path":1}}`, `{"path":"\xff"}`, `{"a":1e999999999}`,
		"```json\n{a:b}\n```", `{"edits":[{"then":{"then":{}}}]}`} {
		f.Add(tool, given)
	}
	f.Add(`{"anyOf":[{"$ref":"#"},{"type":"string"}]}`, `{}`)
	f.Add(`{"oneOf":[{"properties":{"a":{"$ref":"#"}}},{"properties":{"a":{"$ref":"#"}}}],"required":["a"]}`, `{"a":{"a":{"a":{}}}}`)
	f.Add(`{"$schema":"http://json-schema.org/draft-04/schema#","items":[{"type":"integer"}],"additionalItems":{"type":"string"}}`, `{"a":[1]}`)
	f.Fuzz(func(t *testing.T, schema, given string) {
		fixed, repairs, complaint := check(json.RawMessage(schema), json.RawMessage(given))
		var object map[string]any
		if err := json.Unmarshal(fixed, &object); err != nil || object == nil || !utf8.Valid(fixed) {
			t.Fatalf("%q became %q: %v", given, fixed, err)
		}
		if len(complaint) > 2000 || !utf8.ValidString(complaint) || len(repairs) > 22 {
			t.Errorf("complaint %q, repairs %q", complaint, repairs)
		}
		for _, repair := range repairs {
			if len(repair) > 2000 || !utf8.ValidString(repair) {
				t.Errorf("the repair %q is too long", repair)
			}
		}
		if again, more, still := check(json.RawMessage(schema), fixed); complaint == "" && (string(again) != string(fixed) || len(more) > 0 || still != "") {
			t.Errorf("%q became %q, and that %q (%q, %q)", given, fixed, again, more, still)
		}
	})
}

// nested is a schema and arguments of so many levels.
func nested(levels int) (schema, given string) {
	return strings.Repeat(`{"type":"object","properties":{"a":`, levels) + `{"type":"integer"}` + strings.Repeat("}}", levels),
		strings.Repeat(`{"a":`, levels) + `"1"` + strings.Repeat("}", levels)
}

// wide is a schema of about 1 MB with so many properties.
func wide(n int) string {
	words := strings.Repeat("what it is ", 90_000/n)
	var b strings.Builder
	b.WriteString(`{"type":"object","properties":{"path":{"type":"string"}`)
	for i := range n {
		fmt.Fprintf(&b, `,"property_%d":{"type":"integer","description":%q}`, i, words)
	}
	return b.String() + "}}"
}

func TestLargeSchemas(t *testing.T) {
	deep, given := nested(64)
	if fixed, repairs, _ := check(json.RawMessage(deep), json.RawMessage(given)); len(repairs) != 1 || strings.Contains(string(fixed), `"1"`) {
		t.Errorf("%s %q", fixed, repairs)
	}
	if fixed, _, _ := check(json.RawMessage(wide(1000)), json.RawMessage(`{"property_999":"7"}`)); string(fixed) != `{"property_999":7}` {
		t.Errorf("%s", fixed)
	}
}
