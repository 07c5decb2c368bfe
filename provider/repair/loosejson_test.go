package repair

import (
	"encoding/json"
	"reflect"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/aloudchat/aloud/internal/tabletest"
)

func TestMend(t *testing.T) {
	deep := []string{"too deep", strings.Repeat("[", 300) + "a]", ""}
	for _, row := range append(tabletest.Read(t, "loosejson.txt"), deep) {
		t.Run(row[0], func(t *testing.T) {
			if got := mendJSON([]byte(row[1]), false); string(got) != row[2] {
				t.Errorf("%s became %s, want %s", row[1], got, row[2])
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
