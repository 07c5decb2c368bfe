package elicit_test

import (
	"encoding/json"
	"fmt"
	"reflect"
	"strings"
	"testing"

	"github.com/aloudchat/aloud/mcpclient/elicit"
)

// everything has a field of each kind, as servers write them in all revisions of the protocol.
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
		"colours": {"type": "array", "minItems": 1, "maxItems": 2, "items": {"type": "string", "enum": ["red", "green", "blue"]}, "default": ["red"]},
		"heroes":  {"type": "array", "items": {"anyOf": [{"const": "1", "title": "Ann"}, {"const": "2", "title": "Ben"}]}},
		"level":   {"enum": [1, 2, 3]},
		"note":    {"anyOf": [{"type": "string"}, {"type": "null"}], "title": "A note"},
		"kind":    {"$ref": "#/$defs/Kind", "default": "b"},
		"labels":  {"type": "array", "items": {"type": "string"}},
		"extra":   {"type": "object"}
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
	t.Fatalf("there is no field %q", name)
	return elicit.Field{}
}

func TestFieldsKeepTheirOrderAndKinds(t *testing.T) {
	f := parse(t, everything)
	want := []string{
		"name text true", "mail text false", "site text false", "born text false", "called text false", "age integer true", "score number false",
		"agree boolean false", "size choice false", "speed choice false", "pet choice false", "colours choices true", "heroes choices false",
		"level choice false", "note text false", "kind choice false", "labels json false", "extra json false",
	}
	var got []string
	for _, one := range f.Fields {
		got = append(got, fmt.Sprint(one.Name, " ", one.Kind, " ", one.Required))
	}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("the fields are\n%q, want\n%q", got, want)
	}
	if title := field(t, f, "note").Title; title != "A note" {
		t.Errorf("what may be null is called %q", title)
	}
	if title := field(t, f, "mail").Title; title != "mail" {
		t.Errorf("a field without a title is called %q, want its name", title)
	}
}

// defaults are the values with which a form comes.
func defaults(f elicit.Form) map[string]any {
	values := map[string]any{}
	for _, one := range f.Fields {
		if one.Default != nil {
			values[one.Name] = one.Default
		}
	}
	return values
}

func TestDefaultsThatFitAreKept(t *testing.T) {
	for schema, want := range map[string]map[string]any{
		everything: {"mail": "ann@example.org", "age": json.Number("42"), "score": json.Number("95.5"), "agree": true, "size": "m", "colours": []any{"red"}, "kind": "b"},
		`{"properties":{"a":{"type":"integer","default":"many"},"b":{"type":"string","enum":["x"],"default":"y"},"c":{"type":"integer","default":3.0}}}`: {"c": json.Number("3.0")},
		`{"properties":{"a":{"type":"array","items":{"enum":[0` + strings.Repeat(",1", 600) + `]},"default":[{},1]}}}`:                                   {"a": []any{json.Number("1")}},
	} {
		if got := defaults(parse(t, schema)); !reflect.DeepEqual(got, want) {
			t.Errorf("the defaults are %v, want %v", got, want)
		}
	}
}

// TestTyping tells what becomes of what a person types. A wish that begins with "!" is a part of the sentence that says why not.
func TestTyping(t *testing.T) {
	f := parse(t, everything)
	for _, c := range []struct {
		field, typed string
		want         any
	}{
		{f.Fields[0].Name, strings.Repeat("x", elicit.LongestTyped+1), "!this is longer than the 1 MB that a field takes"},
		{"name", "Ann", "Ann"},
		{"name", "A", "!at least 2"},
		{"name", strings.Repeat("ä", 21), "!at most 20"},
		{"name", "  ", "!has to be filled in"},
		{"mail", "", nil},
		{"mail", "ann@example.org", "ann@example.org"},
		{"mail", "Ann <ann@example.org>", "!ann@example.org"},
		{"mail", "ann", "!no e-mail address"},
		{"site", "https://example.org/a", "https://example.org/a"},
		{"site", "example", "!no address"},
		{"born", "2024-02-29", "2024-02-29"},
		{"born", "2023-02-29", "!no date"},
		{"called", "2026-07-28T14:30:00+02:00", "2026-07-28T14:30:00+02:00"},
		{"called", "yesterday", "!no date with a time"},
		{"age", " 7 ", int64(7)},
		{"age", "7.5", "!no whole number"},
		{"age", "seven", "!no whole number"},
		{"age", "-1", "!at least 0"},
		{"age", "200", "!at most 150"},
		{"age", "99999999999999999999", "!no whole number"},
		{"score", "-3.25", -3.25},
		{"score", "0x10", "!no number"},
		{"score", "NaN", "!no number"},
		{"score", "1e999", "!no number"},
		{"labels", `["a", "b"]`, []any{"a", "b"}},
		{"labels", `["a", 1]`, "!at 1: must be string"},
		{"labels", `{}`, "!must be array"},
		{"labels", `["a"] ["b"]`, "!no JSON"},
		{"extra", `{"a": 1.5}`, map[string]any{"a": json.Number("1.5")}},
		{"extra", `{`, "!no JSON"},
		{"extra", `{"ä": x}`, "!no JSON"},
		{"extra", `x`, "!no JSON"},
	} {
		value, given, err := field(t, f, c.field).Read(c.typed)
		if why, refused := strings.CutPrefix(fmt.Sprint(c.want), "!"); refused {
			if err == nil || !strings.Contains(err.Error(), why) {
				t.Errorf("%s: %q gives %v and the error %v, want one with %q", c.field, c.typed, value, err, why)
			}
			continue
		}
		if err != nil || given != (c.want != nil) || !reflect.DeepEqual(value, c.want) {
			t.Errorf("%s: %q gives %#v, %v, %v, want %#v", c.field, c.typed, value, given, err, c.want)
		}
	}
}

func TestWhatIsShownIsSafe(t *testing.T) {
	f := parse(t, `{"description":"\u001b[31mred","properties":{"\u001b]0;x\u0007":{"description":"a\u202eb"},
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
		t.Errorf("what is shown obeys the server: %q", shown)
	}
	if f.Fields[0].Name != "\x1b]0;x\a" {
		t.Errorf("the name came back as %q: the server would not know it", f.Fields[0].Name)
	}
}

func TestNotForms(t *testing.T) {
	var many strings.Builder
	for i := range 10_000 {
		fmt.Fprintf(&many, `"f%d":{"type":"string"},`, i)
	}
	for schema, want := range map[string]string{
		`[]`:               "not described by a JSON schema",
		`{"type":"array"}`: `type "array"`,
		`{"properties":3}`: "not an object",
		`{"properties":{` + strings.TrimSuffix(many.String(), ",") + `}}`: "more than 200 fields",
		`{"a":"` + strings.Repeat("x", 2<<20) + `"}`:                      "not described",
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

func TestChosenValuesAreChecked(t *testing.T) {
	colours := field(t, parse(t, everything), "colours")
	for want, values := range map[string][]any{"": {"red", "blue"}, "at most 2": {"red", "green", "blue"}, "at least 1": {}, "at 0: must be": {"pink"}} {
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
				t.Errorf("the field %q refuses its own default %v", one.Name, one.Default)
			}
			value, given, err := one.Read(typed)
			if err != nil || !given {
				continue
			}
			if err := one.Check(value); err != nil {
				t.Errorf("%q was read as %#v, which is refused: %v", typed, value, err)
			}
			if _, err := json.Marshal(value); err != nil {
				t.Errorf("%q was read as %#v, which cannot be sent: %v", typed, value, err)
			}
		}
	})
}
