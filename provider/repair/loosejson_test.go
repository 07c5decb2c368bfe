package repair

import (
	"encoding/json"
	"reflect"
	"strings"
	"testing"
	"unicode/utf8"
)

func TestMend(t *testing.T) {
	tests := []struct{ name, in, want string }{
		{"right", ` {"a": 1.0}`, ` {"a": 1.0}`},
		{"quotes of Python", `{'a': 'it\'s', 'b': True, 'c': None}`, `{"a":"it's","b":true,"c":null}`},
		{"a comma too many", `[1,2,]`, `[1,2]`},
		{"no commas", `{"a":1 "b":[[1] {"c":2} "d"]}`, `{"a":1,"b":[[1],{"c":2},"d"]}`},
		{"brackets missing", `{"a":[{"b":1}`, `{"a":[{"b":1}]}`},
		{"brackets too many", `{"a":1}]}`, `{"a":1}`},
		{"no quotes around keys", `{a: "some/path.go", b: 2}`, `{"a":"some/path.go","b":2}`},
		{"typographic quotes", `{“a”:“b”}`, `{"a":"b"}`},
		{"line breaks", "{\"a\":\"b\nc\"}", `{"a":"b\nc"}`},
		{"a path", `{"a":"C:\Users\new"}`, `{"a":"C:\\Users\\new"}`},
		{"a pattern", `{"a":"\d+"}`, `{"a":"\\d+"}`},
		{"a pair of escapes", `{a:"\ud83d\ude00\u00e9"}`, `{"a":"😀é"}`},
		{"tags stay readable", `{'a':'<b>'}`, `{"a":"<b>"}`},
		{"three quotes", `{"a":"""b "c"
d"""}`, `{"a":"b \"c\"\nd"}`},
		{"a fence", "```json\n{a:1}\n```", `{"a":1}`},
		{"a path in a folder", `{"a":"D:\Users\me\notes.txt", }`, `{"a":"D:\\Users\\me\\notes.txt"}`},
		{"a pattern with quotes", `{"a":"\"\d\""}`, `{"a":"\"\\d\""}`},

		{"words for a list", `[New York, Paris]`, ""},
		{"words for a text", `{a: New York, b: x}`, ""},
		{"a phone number", `{"a": +49301234}`, ""},
		{"half a number", `[.5]`, ""},
		{"an element missing", `[1,,2]`, ""},
		{"a comma missing after a text", `{"a":"say " b: "hi"}`, ""},
		{"a comma missing in a list", `[1 2]`, ""},
		{"quotes in a text", `{"a":"say "hi""}`, ""},
		{"a pattern or a line break", `{"a":"\d+\n"}`, ""},
		{"a path in a sentence", `{"a":"see C:\Users\me\notes.txt"}`, ""},
		{"a path half escaped", `{"a":"C:\\Users\me\notes.txt"}`, ""},
		{"an escape of Python", `{'a':'caf\xe9.txt'}`, ""},
		{"a color of Python", `{'a':'\x1b[31m'}`, ""},
		{"a zero of Python", `{'a':'nul\0'}`, ""},
		{"a long escape of Python", `{'a':'\U0001F600'}`, ""},
		{"a name of Python", `{'a':'\N{BULLET}'}`, ""},
		{"an escape of JavaScript", `{"a":"\u{1F600}"}`, ""},
		{"a line that goes on", "{'a':'b\\\nc'}", ""},
		{"a line of Windows that goes on", "{'a':'b\\\r\nc'}", ""},
		{"a path with an escape of Python", `{'a':'C:\x64\Users'}`, `{"a":"C:\\x64\\Users"}`},
		{"half of a pair of escapes", `{a:"\ud83d"}`, ""},
		{"invalid bytes", "{a:\"\xff\"}", ""},
		{"words behind", `[1] and more`, ""},
		{"cut off in a string", `{"a":"b`, ""},
		{"cut off in a number", `{"a":12`, ""},
		{"prose", `the file a`, ""},
		{"nothing", ``, ""},
		{"too deep", strings.Repeat("[", 300) + "a]", ""},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			if got := mendJSON([]byte(test.in), false); string(got) != test.want {
				t.Errorf("%s became %s, want %s", test.in, got, test.want)
			}
		})
	}
}

// TestManyWindowsPaths checks that each is parsed in linear time.
func TestManyWindowsPaths(t *testing.T) {
	const n = 10_000
	mended := mendJSON([]byte("["+strings.Repeat(`'A:\n',`, n)+"]"), false)
	if want := "[" + strings.TrimSuffix(strings.Repeat(`"A:\n",`, n), ",") + "]"; string(mended) != want {
		t.Errorf("%.80s", mended)
	}
}

// FuzzMend checks that the valid parts of invalid JSON do not change.
func FuzzMend(f *testing.F) {
	for _, value := range []string{
		`"a"`, `[1,{"b":"\"c\", d"}]`, `"\u00e9\ud83d\ude00\n//"`, `-1.5e3`, `{"":[true,null]}`, `"C:\\Users\\new"`,
		`"A:\nb"`, `"C:\rs\\s"`, `"# 'x' }"`,
	} {
		f.Add(value)
	}
	f.Fuzz(func(t *testing.T, value string) {
		var want any
		if !utf8.ValidString(value) || json.Unmarshal([]byte(`{"a":`+value+`}`), &want) != nil {
			return
		}
		for _, broken := range []string{`{"a":` + value + `,}`, `{a:` + value + `}`, `{"a":` + value + `}}`} {
			mended := mendJSON([]byte(broken), false)
			var got any
			if err := json.Unmarshal(mended, &got); mended != nil && (err != nil || !reflect.DeepEqual(got, want)) {
				t.Errorf("%s became %s", broken, mended)
			}
			if mended == nil && len(value) < 100 && wholeRunes([]byte(value)) {
				t.Errorf("%s was given up", broken)
			}
		}
	})
}

// FuzzHostile checks that repaired JSON is valid and stable.
func FuzzHostile(f *testing.F) {
	for _, text := range []string{`{'a':"b`, `[(1,)`, `"""a"""`, "```\n{a:b}\n```", `a='b', c=[1])`, `/*`, `"\ud83d`} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		mended := mendJSON([]byte(text), false)
		if mended != nil && (!json.Valid(mended) || string(mendJSON(mended, false)) != string(mended)) {
			t.Errorf("%q became %q", text, mended)
		}
		object, _, rest := keywords([]byte("(" + text))
		if object != nil && (!json.Valid(object) || !strings.HasSuffix(text, string(rest))) {
			t.Errorf("%q became %q and %q", text, object, rest)
		}
	})
}
