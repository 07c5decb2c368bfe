package elicit_test

import (
	"encoding/json"
	"fmt"
	"reflect"
	"strings"
	"testing"

	"github.com/aloudchat/aloud/mcpclient/elicit"
)

// everything has a field of each kind, as servers write them in all revisions of MCP.
const everything = `{
	"type": "object", "title": "About you", "required": ["name", "age", "colours"],
	"properties": {
		"name":    {"type": "string", "title": "Your name", "minLength": 2, "maxLength": 20},
		"mail":    {"type": "string", "format": "email", "default": "ann@example.org"},
		"site":    {"type": "string", "format": "uri"},
		"born":    {"type": "string", "format": "date"},
		"called":  {"type": "string", "format": "date-time"},
		"age":     {"type": "integer", "minimum": 0, "maximum": 150, "default": 42},
		"score":   {"type": "number", "default": 95.5},
		"agree":   {"type": "boolean", "description": "Whether it may go on", "default": true},
		"size":    {"type": "string", "enum": ["s", "m", "l"], "default": "m"},
		"speed":   {"type": "string", "enum": ["1", "2"], "enumNames": ["Slow", "Fast"]},
		"pet":     {"type": "string", "oneOf": [{"const": "d", "title": "Dog"}, {"const": "c", "title": "Cat"}]},
		"colours": {"type": "array", "minItems": 1, "maxItems": 2, "default": ["red"],
		            "items": {"type": "string", "enum": ["red", "green", "blue"]}},
		"heroes":  {"type": "array", "items": {"anyOf": [{"const": "1", "title": "Ann"}, {"const": "2", "title": "Ben"}]}},
		"level":   {"enum": [1, 2, 3]},
		"note":    {"anyOf": [{"type": "string"}, {"type": "null"}], "title": "A note"},
		"kind":    {"$ref": "#/$defs/Kind", "default": "b"}
	},
	"$defs": {"Kind": {"type": "string", "enum": ["a", "b"]}}
}`

func parse(t *testing.T, schema string) elicit.Form {
	t.Helper()
	f, err := elicit.Parse(json.RawMessage(schema))
	if err != nil {
		t.Fatalf("Parse: %v", err)
	}
	return f
}

func field(t *testing.T, f elicit.Form, name string) elicit.Field {
	t.Helper()
	for _, one := range f.Fields {
		if one.Name == name {
			return one
		}
	}
	t.Fatalf("no field %q", name)
	return elicit.Field{}
}

func TestParseFields(t *testing.T) {
	f := parse(t, everything)
	want := []string{
		"name text true", "mail text false", "site text false", "born text false", "called text false",
		"age integer true", "score number false", "agree boolean false", "size choice false", "speed choice false",
		"pet choice false", "colours choices true", "heroes choices false", "level choice false", "note text false",
		"kind choice false",
	}
	var got []string
	for _, one := range f.Fields {
		got = append(got, fmt.Sprint(one.Name, " ", one.Kind, " ", one.Required))
	}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("the fields are\n%q, want\n%q", got, want)
	}
	if title := field(t, f, "note").Title; title != "A note" {
		t.Errorf("the title of a nullable field is %q", title)
	}
	if title := field(t, f, "mail").Title; title != "mail" {
		t.Errorf("the title of a field without one is %q, want its name", title)
	}
}

func TestParseDefaults(t *testing.T) {
	for schema, want := range map[string]map[string]any{
		everything: {
			"mail": "ann@example.org", "age": json.Number("42"), "score": json.Number("95.5"), "agree": true,
			"size": "m", "colours": []any{"red"}, "kind": "b",
		},
		`{"properties":{"a":{"type":"integer","default":"many"},"b":{"type":"string","enum":["x"],"default":"y"},
			"c":{"type":"integer","default":3.0}}}`: {"c": json.Number("3.0")},
		`{"properties":{"a":{"type":"array","items":{"enum":[0` + strings.Repeat(",1", 600) +
			`]},"default":[{},1]}}}`: {"a": []any{json.Number("1")}},
	} {
		got := map[string]any{}
		for _, one := range parse(t, schema).Fields {
			if one.Default != nil {
				got[one.Name] = one.Default
			}
		}
		if !reflect.DeepEqual(got, want) {
			t.Errorf("the defaults are %v, want %v", got, want)
		}
	}
}

// TestFieldRead parses typed values. A want that begins with "!" is a part of the error.
func TestFieldRead(t *testing.T) {
	f := parse(t, everything)
	for _, c := range []struct {
		field, typed string
		want         any
	}{
		{"name", strings.Repeat("x", elicit.LongestTyped+1), "!longer than 1 MB"},
		{"name", "Ann", "Ann"},
		{"name", "A", "!at least 2"},
		{"name", strings.Repeat("ä", 21), "!at most 20"},
		{"name", "  ", "!is required"},
		{"mail", "", nil},
		{"mail", "ann@example.org", "ann@example.org"},
		{"mail", "Ann <ann@example.org>", "!ann@example.org"},
		{"mail", "ann", "!not an email address"},
		{"site", "https://example.org/a", "https://example.org/a"},
		{"site", "example", "!not a URL"},
		{"born", "2024-02-29", "2024-02-29"},
		{"born", "2023-02-29", "!not a date"},
		{"called", "2026-07-28T14:30:00+02:00", "2026-07-28T14:30:00+02:00"},
		{"called", "yesterday", "!not a date and time"},
		{"age", " 7 ", int64(7)},
		{"age", "7.5", "!not a whole number"},
		{"age", "seven", "!not a whole number"},
		{"age", "-1", "!at least 0"},
		{"age", "200", "!at most 150"},
		{"age", "99999999999999999999", "!not a whole number"},
		{"score", "-3.25", -3.25},
		{"score", "0x10", "!not a number"},
		{"score", "NaN", "!not a number"},
		{"score", "1e999", "!not a number"},
	} {
		value, given, err := field(t, f, c.field).Read(c.typed)
		if why, refused := strings.CutPrefix(fmt.Sprint(c.want), "!"); refused {
			if err == nil || !strings.Contains(err.Error(), why) {
				t.Errorf("%s: %q gives %v, %v, want an error with %q", c.field, c.typed, value, err, why)
			}
			continue
		}
		if err != nil || given != (c.want != nil) || !reflect.DeepEqual(value, c.want) {
			t.Errorf("%s: %q gives %#v, %v, %v, want %#v", c.field, c.typed, value, given, err, c.want)
		}
	}
}

func TestParseSanitizesTexts(t *testing.T) {
	f := parse(t, `{"description":"\u001b[31mred","properties":{
		"\u001b]0;x\u0007":{"type":"string","description":"a\u202eb"},
		"c":{"type":"string","enum":["\u001b[2J"],"enumNames":["\u001b[2J"]},"":{"type":"string","default":"\u001b[1mx"}}}`)
	shown := f.Description
	for _, one := range f.Fields {
		shown += one.Title + one.Description + one.Typed(one.Default)
		for _, o := range one.Options {
			shown += o.Title
		}
		if one.Title == "" {
			t.Errorf("the field %q has no title", one.Name)
		}
	}
	if strings.ContainsAny(shown, "\x1b\x07\u202e") {
		t.Errorf("the texts are not sanitized: %q", shown)
	}
	if f.Fields[0].Name != "\x1b]0;x\a" {
		t.Errorf("the name was changed to %q", f.Fields[0].Name)
	}
}

func TestParseInvalidForm(t *testing.T) {
	var many strings.Builder
	for i := range 10_000 {
		fmt.Fprintf(&many, `"f%d":{"type":"string"},`, i)
	}
	for schema, want := range map[string]string{
		`[]`:               "not a JSON schema of an object",
		`{"type":"array"}`: "not a JSON schema of an object",
		`{"properties":3}`: "not a JSON schema of an object",
		`{"properties":{"labels":{"type":"array","items":{"type":"string"}}}}`: `"labels" has a type that forms`,
		`{"properties":{"extra":{}}}`:                                          "do not support",
		`{"properties":{` + strings.TrimSuffix(many.String(), ",") + `}}`:      "more than 200 fields",
		`{"a":"` + strings.Repeat("x", 2<<20) + `"}`:                           "not a JSON schema of an object",
	} {
		if _, err := elicit.Parse(json.RawMessage(schema)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%.40s gives the error %v, want one with %q", schema, err, want)
		}
	}
	for _, schema := range []string{"", "null", "{}", `{"type":"object"}`, `{"type":["object","null"],"required":true}`} {
		if f := parse(t, schema); len(f.Fields) != 0 {
			t.Errorf("%q has the fields %v", schema, f.Fields)
		}
	}
}

func TestCheckChoices(t *testing.T) {
	colours := field(t, parse(t, everything), "colours")
	for want, values := range map[string][]any{
		"": {"red", "blue"}, "at most 2": {"red", "green", "blue"}, "at least 1": {}, "must be": {"pink"},
	} {
		if err := colours.Check(values); want == "" && err != nil || want != "" && !strings.Contains(fmt.Sprint(err), want) {
			t.Errorf("%v gives the error %v, want %q", values, err, want)
		}
	}
}

func FuzzForm(f *testing.F) {
	f.Add(everything, "x")
	f.Add(`{"properties":{"a":{"anyOf":[{"$ref":"#/$defs/A"},{"type":"null"}]}},"$defs":{"A":{"$ref":"#/$defs/A"}}}`, "1")
	f.Add(`{"properties":{"a":{"enum":[1.0,null,"null",true]}}}`, "null")
	f.Add(`{"properties":{"a":{"type":"array","items":{"enum":["a","a"]},"default":["a","a"]}}}`, "a,a")
	f.Fuzz(func(t *testing.T, schema, typed string) {
		read, err := elicit.Parse(json.RawMessage(schema))
		if err != nil {
			return
		}
		for _, one := range read.Fields {
			if one.Default != nil && one.Check(one.Default) != nil {
				t.Errorf("field %q rejects its default %v", one.Name, one.Default)
			}
			value, given, err := one.Read(typed)
			if err != nil || !given {
				continue
			}
			if err := one.Check(value); err != nil {
				t.Errorf("%q gives %#v, which Check rejects: %v", typed, value, err)
			}
			if _, err := json.Marshal(value); err != nil {
				t.Errorf("%q gives %#v, which cannot be encoded: %v", typed, value, err)
			}
		}
	})
}
