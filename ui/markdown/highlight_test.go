package markdown

import (
	"bytes"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/pelletier/go-toml/v2"
)

// marked returns code with every coloured piece in ‹›, after the first letter of its kind.
func marked(lang, code string) string {
	var b strings.Builder
	l := languageOf(lang)
	if l == nil {
		return "unknown"
	}
	l.pieces(code, func(k kind, text string) {
		if k == plain {
			b.WriteString(text)
		} else {
			fmt.Fprintf(&b, "%c‹%s›", " ktfynqc+-h"[k], text)
		}
	})
	return b.String()
}

func TestHighlight(t *testing.T) {
	for _, test := range []struct{ lang, code, want string }{
		{"go", "func Len(s string) int { return len(s) // 1\n}",
			"k‹func› f‹Len›(s t‹string›) t‹int› { k‹return› t‹len›(s) c‹// 1›\n}"},
		{"Go", "x := `a\nb` + \"\\\"\" + 'x'", "x := q‹`a\nb`› + q‹\"\\\"\"› + q‹'x'›"},
		{"go", "/* open\n", "c‹/* open\n›"},
		{"python", "@cache\ndef f(x=None): # it's\n    '''a\nb'''\n    return 1.5e3",
			"f‹@cache›\nk‹def› f‹f›(x=n‹None›): c‹# it's›\n    q‹'''a\nb'''›\n    k‹return› n‹1.5e3›"},
		{"rust", "fn f<'a>(x: &'a str, c: char) { c == '\\n' || c == '}' }",
			"k‹fn› f<'a>(x: &'a t‹str›, c: t‹char›) { c == q‹'\\n'› || c == q‹'}'› }"},
		{"js", "for (const i of 0..3) f(`${i}`)", "k‹for› (k‹const› i k‹of› n‹0›..n‹3›) f‹f›(q‹`${i}`›)"},
		{"sh", "echo \"$# it\" don't # why\ncurl https://a.b/#c",
			"t‹echo› q‹\"$# it\"› don't c‹# why›\nt‹curl› https://a.b/#c"},
		{"json", `{"a": [1, true, "b"]}`, `{y‹"a"›: [n‹1›, n‹true›, q‹"b"›]}`},
		{"yaml", "url: http://a.b # c\n- name:\n  'k': yes", "y‹url›: http://a.b c‹# c›\n- y‹name›:\n  y‹'k'›: n‹yes›"},
		{"toml", "a.b = \"c\" # d", "y‹a.b› = q‹\"c\"› c‹# d›"},
		{"sql", "SELECT 'it' FROM t -- all", "k‹SELECT› q‹'it'› k‹FROM› t c‹-- all›"},
		{"css", ".a:hover { color: red }", ".a:hover { y‹color›: red }"},
		{"html", "<!-- c --><a href=\"x>y\" b>it's so</a>",
			"c‹<!-- c -->›k‹<a› y‹href›=q‹\"x>y\"› y‹b›k‹>›it's sok‹</a›k‹>›"},
		{"xml", "<?xml version='1.0'?>\n<a:b c=\"d\"/> 1 < 2 &amp; <e",
			"k‹<?xml› y‹version›=q‹'1.0'›k‹?>›\nk‹<a:b› y‹c›=q‹\"d\"›k‹/>› 1 < 2 &amp; k‹<e›"},
		{"html", "<script>if (a<b) f()</script><style>a { b: c }",
			"k‹<script›k‹>›k‹if› (a<b) f‹f›()k‹</script›k‹>›k‹<style›k‹>›a { y‹b›: c }"},
		{"diff", "@@ 1 @@\n-a\n+b\n c", "h‹@@ 1 @@\n›-‹-a\n›+‹+b\n› c"},
		{"c", "#include <a.h>\nint f(void);", "k‹#include› <a.h>\nt‹int› f‹f›(t‹void›);"},
		{"klingon", "x", "unknown"},
	} {
		if got := marked(test.lang, test.code); got != test.want {
			t.Errorf("%s:\n%s\nwant\n%s", test.lang, got, test.want)
		}
	}
}

// Without a valid table, code has no colours.
func TestLanguageTable(t *testing.T) {
	var table struct{ Languages []language }
	if err := toml.NewDecoder(bytes.NewReader(languageTable)).DisallowUnknownFields().Decode(&table); err != nil {
		t.Fatal(err)
	}
	seen := map[string]bool{}
	for _, l := range table.Languages {
		for name := range strings.FieldsSeq(l.Names) {
			if seen[name] || name != strings.ToLower(name) {
				t.Errorf("the name %q is not of one language, in lower case", name)
			}
			seen[name] = true
		}
	}
}

func FuzzHighlight(f *testing.F) {
	names := slices.Sorted(maps.Keys(languages()))
	for i := range names {
		f.Add(uint8(i), "if x == \"a\\\"\n b' /* c\n#d <e f='g'> --[[ ''' =begin key: v\x00\xff 1.e5 日本")
	}
	f.Fuzz(func(t *testing.T, lang uint8, code string) {
		var b strings.Builder
		languageOf(names[int(lang)%len(names)]).pieces(code, func(_ kind, text string) { b.WriteString(text) })
		if b.String() != code {
			t.Errorf("%q becomes %q", code, b.String())
		}
	})
}
