package markdown_test

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"unicode"

	"github.com/charmbracelet/x/ansi"

	"github.com/aloudchat/aloud/ui/markdown"
)

// distinct replaces each ж of a text with a different letter, so that none is the same as another on the screen. No
// mark of Markdown has such letters.
func distinct(text string) string {
	n := rune(0)
	return strings.Map(func(r rune) rune {
		switch {
		case r == 'ж':
			n++
			return 0xac00 + n%11_000
		case unicode.Is(unicode.Hangul, r):
			return -1
		}
		return r
	}, text)
}

// letters returns the letters of distinct in a text, in order.
func letters(text string) string {
	return strings.Map(func(r rune) rune {
		if r < 0xac00 || r > 0xd7a3 {
			return -1
		}
		return r
	}, text)
}

// checkLetters draws a text as a whole and in pieces, and checks that its letters are on the screen in order. Tables
// and formulas have their own order, and tables may repeat their head.
func checkLetters(t *testing.T, text string, width int, seed uint64) {
	t.Helper()
	text = distinct(text)
	same := func(rows []string, source string) {
		t.Helper()
		shown := ansi.Strip(strings.Join(rows, "\n"))
		got, want := letters(shown), letters(source)
		isMissing := func(r rune) bool { return !strings.ContainsRune(got, r) }
		hasOrder := !strings.ContainsAny(text, `|$\`) && !strings.Contains(text, "math")
		if got != want && (hasOrder || strings.ContainsFunc(want, isMissing)) {
			t.Fatalf("%q at width %d shows %q, want %q:\n%s", source, width, got, want, shown)
		}
	}
	r := markdown.NewRenderer(width, ansi.WcWidth, markdown.Dark())
	whole := append(r.Write(text), r.Close()...)
	same(whole, text)

	random := rand.New(rand.NewPCG(seed, 0))
	var rows []string
	for at := 0; at < len(text); {
		n := min(1+random.IntN(40+len(text)/8), len(text)-at)
		for at+n < len(text) && text[at+n]&0xc0 == 0x80 { // Open shows whole characters
			n++
		}
		rows = append(rows, r.Write(text[at:at+n])...)
		at += n
		line := text[strings.LastIndexByte(text[:at], '\n')+1 : at]
		if !strings.Contains(line, "```") && !strings.Contains(line, "~~~") { // the start of code is not shown yet
			same(append(slices.Clone(rows), r.Open()...), text[:at])
		}
	}
	if rows = append(rows, r.Close()...); !slices.Equal(rows, whole) {
		t.Fatalf("%q in pieces:\n%q\nat once:\n%q", text, rows, whole)
	}
}

// constructs are all kinds of Markdown, with ж for each word.
var constructs = []string{
	"ж ж\n", "ж *ж* __ж__ ~~ж~~ `ж` ``ж`ж``\n", "# ж\n", "## ж ##\n", "ж\n===\n", "ж\nж\n---\n", "---\nж: ж\n---\n",
	"[ж](ж)\n", "[ж](ж \"ж ж\")\n", "[ж](<ж ж> 'ж')\n", "[ж](http://a.b/ж (ж))\n", "![ж](ж)\n",
	"![ж *ж*](http://a.b/ж 'ж')\n", "![](ж)\n", "[](ж \"ж\")\n", "[![ж](ж)](ж)\n", "[ж]: https://a.b/ж\n",
	"[1]: https://a.b/ж \"ж\"\n", "[ж]: ж\n", "[ж]: <ж>\n'ж\nж'\n", "[ж]:\nж\n", "[^1]: ж\n",
	"ж[^1] ж[^2][^3](ж)\n[^1]: ж\n[^2]:\n    ж\n\n    - ж\n[^3]:ж\n", "[^ж]: ж ж\n",
	"[ж][ж] [ж][] [ж] ![ж][ж]\n", "ж[^ж]\n", "[ж]: /ж\n[ж]: /ж\n\n[ж]: /ж\n", "<ж> <http://ж.ж/ж> <a@ж.ж>\n",
	"https://a.b/ж www.a.b/ж a.ж@b.c\n", "ж <b>ж</b> ж<br>ж <!-- ж --> <b ж='ж'>\n", "<!-- ж\nж -->\n",
	"<div ж>\nж\n</div>\n", "<pre>ж\n\nж</pre>ж\n", "<?ж\nж ?>\n", "<![CDATA[ж\n]]>\n", "<!ж ж>\n",
	"<script>\nж\n</script> ж\n", "<ж\n", "\\*ж\\* &lt;ж&gt; &#1078; \\&amp;ж &ж;\n", "ж  \nж\\\nж\n", "ж\tж\n",
	"```\nж\n```\n", "```go\nж\n```\n", "```go ж=ж\nж\n```\n", "```ж\nж\n```\n", "```ж ж\n```\n", "~~~ ж `ж`\nж\n~~~\n",
	"````\n```ж\nж\n```\n````\n", "```ж``` ж\n", "    ж\n\n    ж\n", "\tж\n", "```\nж\n", "- ж\n- ж\n",
	"* ж\n\n  ж\n* ж\n", "+ ж\n  + ж\n    + ж\n      + ж\n", "1. ж\n1. ж\n", "7) ж\n   ж\nж\n", "- [ ] ж\n- [x] ж\n",
	"1. [x] ж\n", "-\n  ж\n", "- # ж\n- > ж\n- ```\n  ж\n  ```\n", "-     ж\n", "1.\n\n   ж\n", "- - - ж\n",
	"- [ж]: ж\n", "> ж\nж\n> > ж\n", "> - ж\n>   ж\n", "> ```\n> ж\n> ```\n", ">     ж\n", "> [ж]: ж\n",
	"| ж | ж |\n|---|---|\n| ж | ж |\n", "ж|ж\n-|-\nж\nж|ж|ж|ж\n|ж||\n", "ж\n| ж |\n|---|\n| ж | `ж\\|ж` | *ж* |\n",
	"| ж | ж |\n|-|\n| ж |\n", "- | ж | ж |\n  |-|-|\n  | ж |\n  | ж | ж | ж |\n", "| ж | ж |\n|-|-|\n| ж | |\n",
	"\\(ж\\) \\[ж\\] \\[ж\\](ж) \\[ж \\)ж\n", "$ж$ $$ж$$ $ж_ж^ж$ $ж$ж $ж\n", "$$\nж\n= ж\n$$\n", "$$ж\n- ж\nж\n",
	"\\[\nж_{ж}^ж \\\\ ж & ж\n\\]\n", "\\[ж *ж*\nж\n\n", "$$ ж $$ ж\nж\n", "$$\nж\n$$ ж\nж\n", "$\\ж_ж*ж*$ж $\\ж{ж}$\n",
	"\\begin{align}\nж &= ж \\\\\n&= ж\n\\end{align}\n", "\\begin{ж}\nж \\\\\n- ж\n",
	"```math\n\\frac{ж}{ж} \\sqrt{ж}\n```\n", "```math ж\nж\n```\n", "- \\[ж\n  ж\\]\n  ж\n", "> $$\n> ж\nж\n> $$\n",
	"<details>\n<summary>ж *ж*</summary>\n\nж\n\n- ж\n\n</details>\nж\n",
	"<details><summary>ж\nж</summary> ж\n```\nж\n</details>\n```\n<details>\nж\n</details>\nж\n", "<details ж>\nж\n",
	"<details>ж</details>\n", "<details>ж\n", "<details>\n# ж\n\n| ж | ж |\n|-|-|\n| ж | ж |\n",
	"ж\n: ж\nж\n: ж\n\nж\nж\n\n:   ж\n\n    ж\n", "ж\n: - ж\n  - ж\n", ": ж\n",
	"<kbd>ж</kbd> <sub>ж *ж*</sub> <sup>ж <sub>ж ж\n",
	"> [!NOTE]\n> ж\nж\n", "> [!tip] ж\n> - ж\n", "> [!WARNING](ж)ж\n", "> [!ж]\n> ж\n", "- > [!CAUTION]\n  > # ж\n",
	"|ж|\n|-|\n", "\n", "\n\n", "***\n", "  ", "   ж\n",
}

func TestEveryWordIsShown(t *testing.T) {
	for i, c := range constructs {
		for _, width := range []int{2, 15, 80} {
			checkLetters(t, c, width, uint64(i))
			checkLetters(t, strings.TrimSuffix(c, "\n"), width, uint64(i))
			checkLetters(t, "ж\n"+c+"ж\n", width, uint64(i))
		}
	}
	r := rand.New(rand.NewPCG(7, 7))
	for i := range 200 {
		var text strings.Builder
		for range 1 + r.IntN(6) {
			indent := []string{"", "", "", "  ", "> ", "- ", "    ", "1. "}[r.IntN(8)]
			for line := range strings.Lines(constructs[r.IntN(len(constructs))]) {
				text.WriteString(indent + line)
				if indent == "- " || indent == "1. " {
					indent = strings.Repeat(" ", len(indent))
				}
			}
		}
		checkLetters(t, text.String(), []int{2, 5, 12, 33, 100}[r.IntN(5)], uint64(i))
	}
}

// Blocks of more than 4 kB are drawn in parts.
func TestEveryWordOfLongBlocksIsShown(t *testing.T) {
	arounds := []string{"", "- ", "> ", "- a\n  1. ", "> - > ", "- - - - "}
	for i, c := range constructs {
		around := arounds[i%len(arounds)]
		indent := strings.Map(func(r rune) rune {
			if r == '>' {
				return r
			}
			return ' '
		}, around[strings.LastIndexByte(around, '\n')+1:])
		text := around
		for line := range strings.Lines(strings.Repeat(c, 6000/len(c))) {
			text += line + indent
		}
		checkLetters(t, text, 60, uint64(i))
	}
}

func FuzzWords(f *testing.F) {
	f.Add(strings.Join(constructs, ""), 40, uint64(1))
	for i, c := range constructs {
		f.Add(c, 20, uint64(i))
	}
	f.Fuzz(func(t *testing.T, text string, width int, seed uint64) {
		text = strings.ReplaceAll(strings.ToValidUTF8(text, ""), "&#", "&") // these could be letters, too
		// A letter with marks may be wider than a narrow row.
		checkLetters(t, text, 20+(width%100+100)%100, seed)
	})
}
