package repair

import (
	"bytes"
	"encoding/json"
	"math/big"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"
	"unicode/utf8"
)

// tool is the schema of a typical tool.
const tool = `{"type":"object","required":["path"],"additionalProperties":false,"properties":{
	"path":{"type":"string"},"count":{"type":"integer"},"ratio":{"type":"number"},"deep":{"type":"boolean"},
	"tags":{"type":"array","items":{"type":"string"}},"sizes":{"type":"array","items":{"type":"integer"}},
	"mode":{"enum":["Fast","slow"]},"level":{"type":"integer","enum":[1,2]},
	"maybe":{"type":["string","null"]},"nothing":{"type":["integer","null"]},
	"options":{"type":"object","properties":{"lineNumbers":{"type":"boolean"}},"additionalProperties":false},
	"edits":{"type":"array","items":{"$ref":"#/$defs/edit"}},
	"either":{"anyOf":[{"type":"integer"},{"type":"array","items":{"type":"integer"}}]},
	"max_results":{"type":"integer"}},
	"$defs":{"edit":{"type":"object","required":["line"],
		"properties":{"line":{"type":"integer"},"then":{"$ref":"#/$defs/edit"}}}}}`

// TestArgumentsAreRepaired reads testdata/arguments.txt.
func TestArgumentsAreRepaired(t *testing.T) {
	file, err := os.ReadFile("testdata/arguments.txt")
	if err != nil {
		t.Fatal(err)
	}
	for _, paragraph := range strings.Split(strings.TrimSpace(string(file)), "\n\n")[1:] {
		lines := strings.Split(paragraph, "\n")
		name, schema, want, wantRepairs := lines[0], lines[1], lines[3], strings.TrimPrefix(lines[4], "-")
		if schema == "tool" {
			schema = tool
		}
		fixed, repairs, complaint := check("read", json.RawMessage(schema), json.RawMessage(lines[2]))
		got := strings.Join(repairs, "; ")
		if (complaint != "") != (want == "-") || complaint == "" && string(fixed) != want ||
			wantRepairs != "*" && got != wantRepairs {
			t.Errorf("%s: %s (%s) %q; want %s (%s)", name, fixed, got, complaint, want, wantRepairs)
		}
	}
}

func TestManyRepairs(t *testing.T) {
	list := strings.Repeat(`"1",`, 99) + `"1"`
	schema := json.RawMessage(`{"properties":{"a":{"items":{"type":"integer"}}}}`)
	_, repairs, _ := check("read", schema, json.RawMessage(`{"a":[`+list+`]}`))
	if len(repairs) != 21 || repairs[20] != "and 80 more" {
		t.Errorf("%q", repairs)
	}
}

func TestComplaints(t *testing.T) {
	const known = "\n" + `Known arguments: path (string, required), count (integer), ratio (number), deep (boolean), ` +
		`tags (array), sizes (array), mode (one of "Fast", "slow"), level (one of 1, 2), maybe (string or null), ` +
		`nothing (integer or null), options (object), edits (array), ` +
		`either (array or integer), max_results (integer). Call it again with these corrected.`
	const faults = "The arguments do not fit the tool. "
	for in, want := range map[string]string{
		`{"count":"x"}`:                               faults + `count: expected integer, got "x". path: is missing.` + known,
		`{"path":"a","foo":1}`:                        faults + `foo: is not allowed.` + known,
		`{"path":"a","mode":"medium"}`:                faults + `mode: expected one of "Fast", "slow", got "medium".` + known,
		`{"path":"a","either":"x"}`:                   faults + `either: expected array or integer, got "x".` + known,
		`{"path":"a","edits":[{"line":1,"then":{}}]}`: faults + `edits[0].then.line: is missing.` + known,
		`{"Path":"a","count":1.5}`:                    faults + `count: expected integer, got 1.5.` + known,
		`[1]`: `The arguments are not a JSON object: "[1]".` + "\n" +
			`Call the tool again with an object, such as {}.`,
		`{"path":"a/b`: `The arguments are not valid JSON: "{\"path\":\"a/b".` +
			"\nCall the tool again with all strings in " +
			`double quotes, and with quotes, backslashes and line breaks in them escaped.`,
		`{"path":"a","path":"b"}`: `The key "path" stands twice in an object of the arguments.` + "\n" +
			`Call the tool again without it.`,
		`{"path":"\ud83d"}`: `A string in the arguments has half of a character, as in "\ud83d".` + "\n" +
			`Call the tool again without it.`,
		"{\"path\":\"\xff\"}": "The arguments have bytes that are not UTF-8.\nCall the tool again with plain text.",
	} {
		fixed, repairs, complaint := check("read", json.RawMessage(tool), json.RawMessage(in))
		if complaint != want || len(repairs) != 0 || fixed[0] != '{' {
			t.Errorf("%s: %s %q\n got %s\nwant %s", in, fixed, repairs, complaint, want)
		}
	}
}

// TestAlternatives checks that a complaint is about the intended alternative.
func TestAlternatives(t *testing.T) {
	const schema = `{"properties":{
		"order":{"anyOf":[{"const":"asc"},{"const":"desc"}]},
		"shape":{"oneOf":[
			{"type":"object","properties":{"kind":{"const":"circle"},"radius":{"type":"number"}},"required":["kind","radius"]},
			{"type":"object","properties":{"kind":{"const":"square"},"side":{"type":"number"}},"required":["kind","side"]}]},
		"limit":{"anyOf":[{"type":"integer","minimum":1},{"type":"null"}]}}}`
	const known = "\n" +
		`Known arguments: order, shape (object), limit (integer or null). Call it again with these corrected.`
	tests := []struct{ in, want string }{
		{`{"order":"up"}`, `order: expected one of "asc", "desc", got "up".`},
		{`{"shape":{"kind":"square","side":"wide"}}`, `shape.side: expected number, got "wide".`},
		{`{"shape":{"kind":"circle"}}`, `shape.radius: is missing.`},
		{`{"limit":"0"}`, `limit: expected integer or null, got "0".`},
		{`{"limit":"many"}`, `limit: expected integer or null, got "many".`},
	}
	for _, test := range tests {
		_, _, complaint := check("read", json.RawMessage(schema), json.RawMessage(test.in))
		if complaint != "The arguments do not fit the tool. "+test.want+known {
			t.Errorf("%s:\n got %s\nwant %s", test.in, complaint, test.want)
		}
	}
	for in, want := range map[string]string{
		`{"order":"DESC"}`: `{"order":"desc"}`,
		`{"limit":"7"}`:    `{"limit":7}`,
		`{"shape":"{\"kind\":\"square\",\"side\":\"2\"}"}`: `{"shape":{"kind":"square","side":2}}`,
	} {
		if fixed, _, complaint := check("read", json.RawMessage(schema), json.RawMessage(in)); string(fixed) != want {
			t.Errorf("%s became %s, want %s: %s", in, fixed, want, complaint)
		}
	}
}

func TestSchemasWithoutEffect(t *testing.T) {
	for _, schema := range []string{
		``, `null`, `{}`, `true`, `[]`, `"object"`, `{`, `{"type":5}`, `{"$ref":"https://example.com/schema.json"}`,
		`{"$ref":"file:///etc/passwd"}`, `{"$schema":"https://example.com/mine"}`, `{"$ref":"#"}`,
		`{"properties":{"a":{"$ref":"#/nowhere"}}}`, `{"properties":{"a":{"minimum":1e999999999}}}`,
		`{"properties":{"a":{"pattern":"^(?!b)"}}}`, `{"properties":{"a":{"format":"email"}}}`,
		`{"$schema":"http://json-schema.org/draft-07/schema#","properties":{"a":{"format":"email"}}}`,
		`{"patternProperties":{"^(?!b)":{"type":"null"}},"additionalProperties":false}`,
	} {
		for range 2 {
			fixed, repairs, complaint := check("read", json.RawMessage(schema), json.RawMessage(`{"a":"b"}`))
			if string(fixed) != `{"a":"b"}` || len(repairs) != 0 || complaint != "" {
				t.Errorf("%s: %s %q %q", schema, fixed, repairs, complaint)
			}
		}
	}
}

func TestEmptyArguments(t *testing.T) {
	for _, none := range []string{"", " ", "null", `""`, `"null"`, "{}"} {
		fixed, _, complaint := check("read", json.RawMessage(`{"type":"object"}`), json.RawMessage(none))
		if string(fixed) != "{}" || complaint != "" {
			t.Errorf("%q: %s %q", none, fixed, complaint)
		}
	}
}

// FuzzCheck checks that the result is a valid object of limited size, and needs no more repairs.
func FuzzCheck(f *testing.F) {
	for _, given := range []string{
		`{"path":"a"}`, `{"count":"3"}`, `"{\"a\":1}"`, `{'a':"b`, `{"arguments":{"path":1}}`, `{"path":"\xff"}`,
		`{"a":1e999999999}`, "```json\n{a:b}\n```", `{"edits":[{"then":{"then":{}}}]}`,
	} {
		f.Add(tool, given)
	}
	f.Add(`{"anyOf":[{"$ref":"#"},{"type":"string"}]}`, `{}`)
	f.Add(`{"oneOf":[{"properties":{"a":{"$ref":"#"}}},{"properties":{"a":{"$ref":"#"}}}]}`, `{"a":{"a":{"a":{}}}}`)
	f.Add(`{"$schema":"http://json-schema.org/draft-04/schema#","items":[{}],"additionalItems":{}}`, `{"a":[1]}`)
	f.Fuzz(func(t *testing.T, schema, given string) {
		fixed, repairs, complaint := check("read", json.RawMessage(schema), json.RawMessage(given))
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
		again, more, still := check("read", json.RawMessage(schema), fixed)
		if complaint == "" && (string(again) != string(fixed) || len(more) > 0 || still != "") {
			t.Errorf("%q became %q, and that %q (%q, %q)", given, fixed, again, more, still)
		}
	})
}

// FuzzMendedText checks that a text that is converted to another type keeps all its characters: it becomes the same
// number or word, a list of itself, or the value that it is in JSON or Python.
func FuzzMendedText(f *testing.F) {
	for _, text := range []string{
		".", "-.", "+49 30 1234", "+49301234", "1e3", "007", "3.0", "5.", ".5", "-.5", "0x1f", "1_000", " 7 ", "true", "none",
		"None", "null", "[New York, Paris]", "[1 2]", "['a', 'b']", `["a" "b"]`, `["C:\\Users\\me\\notes.txt"]`, `['\d+\n']`,
		`['C:\Users\me\notes.txt']`, `{"a":"1","a":"2"}`, `{'b': "c"}`, `["\ud83d"]`, "[1,,2]", "(1, 2)", "[a]", "a, b",
	} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		given, err := json.Marshal(map[string]string{"a": text})
		if err != nil || !utf8.ValidString(text) {
			return
		}
		for _, want := range []string{
			`"number"`, `"integer"`, `"boolean"`, `"null"`, `"object"`, `"array","items":{"type":"string"}`, `"array"`,
			`["integer","null"]`, `"array","items":{"type":"integer"}`,
		} {
			schema := json.RawMessage(`{"properties":{"a":{"type":` + want + `}}}`)
			fixed, repairs, complaint := check("read", schema, given)
			if complaint != "" || len(repairs) == 0 {
				continue
			}
			var object map[string]any
			d := json.NewDecoder(bytes.NewReader(fixed))
			d.UseNumber()
			if err := d.Decode(&object); err != nil {
				t.Fatal(err)
			}
			if got, kept := object["a"]; !carries(got, text, kept) {
				t.Errorf("%s: %q became %s", want, text, fixed)
			}
		}
	})
}

// carries reports whether a value has the characters of a text. kept is false if it was dropped.
func carries(value any, text string, kept bool) bool {
	word := strings.TrimSpace(text)
	switch v := value.(type) {
	case nil:
		return strings.EqualFold(word, "null") || !kept && (word == "" || word == "None")
	case bool:
		return strings.EqualFold(word, strconv.FormatBool(v))
	case json.Number:
		was, ok := new(big.Rat).SetString(word)
		is, _ := new(big.Rat).SetString(string(v))
		return ok && was.Cmp(is) == 0 && !strings.HasPrefix(word, "+")
	case []any:
		if len(v) == 1 && (v[0] == text || carries(v[0], text, true)) {
			return true
		}
	}
	return leavesAreQuoted(value, text)
}

// leavesAreQuoted reports whether each string in value stands in quotes in text, and each number is in it.
func leavesAreQuoted(value any, text string) bool {
	switch v := value.(type) {
	case string:
		quoted, _ := json.Marshal(v)
		hasEscapes := strings.ContainsFunc(v, func(r rune) bool { return r == '\\' || r == '"' || r == '\'' || r < ' ' })
		scalar := json.Valid([]byte(v)) && strings.Contains(text, v) // a number that became a text
		return hasEscapes || scalar || strings.Contains(text, string(quoted)) || strings.Contains(text, "'"+v+"'") ||
			strings.Contains(text, `"`+v+`"`) || strings.Contains(text, `\u`) ||
			strings.Contains(text, "`"+v+"`") || strings.Contains(text, "“"+v+"”") || strings.Contains(text, "‘"+v+"’")
	case json.Number:
		return strings.Contains(text, string(v))
	case []any:
		return !slices.ContainsFunc(v, func(e any) bool { return !leavesAreQuoted(e, text) })
	case map[string]any:
		for key, e := range v {
			if !leavesAreQuoted(key, text) || !leavesAreQuoted(e, text) {
				return false
			}
		}
	}
	return true
}

// nested returns a schema and arguments with a number of levels.
func nested(levels int) (schema, given string) {
	schema = strings.Repeat(`{"properties":{"a":`, levels) + `{"type":"integer"}` + strings.Repeat("}}", levels)
	return schema, strings.Repeat(`{"a":`, levels) + `"1"` + strings.Repeat("}", levels)
}
