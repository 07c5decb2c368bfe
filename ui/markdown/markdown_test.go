package markdown

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"unicode"

	"github.com/charmbracelet/x/ansi"

	"github.com/aloudchat/aloud/internal/tabletest"
)

const sample = `# Title

A **bold** word, ` + "`code`" + `, a [link](https://example.com/a) and
a second line.

1. one
1. two
   - nested
   - more

- [ ] open
- [x] done

> quoted
> text

` + "```go\nfunc main() {\n\tprintln(\"hi\")\n}\n```" + `

| a | bb |
|---|---:|
| 1 | 2  |

Setext
------

日本語のテキスト 👩‍👩‍👧 end
`

// render returns the rows of a text written in one piece, without colours.
func render(text string, width int) string {
	rows := renderRows(text, width, ansi.WcWidth, Style{})
	return ansi.Strip(strings.Join(rows, "\n"))
}

func renderRows(text string, width int, m ansi.Method, style Style) []string {
	return written(NewRenderer(width, m, style), text)
}

// written writes a text in pieces, and returns its rows.
func written(r *Renderer, pieces ...string) (rows []string) {
	for _, p := range pieces {
		rows = append(rows, r.Write(p)...)
	}
	return append(rows, r.Close()...)
}

func TestSample(t *testing.T) {
	want := `Title

A bold word, ` + "`code`" + `, a link (https://example.com/a) and a
second line.

1. one
2. two
   • nested
   • more

☐ open
☑ done

▎ quoted text

── go
  func main() {
      println("hi")
  }

a │ bb
──┼───
1 │  2

Setext

日本語のテキスト 👩‍👩‍👧 end`
	if got := render(sample, 62); got != want {
		t.Errorf("got:\n%s\n\nwant:\n%s", got, want)
	}
}

func TestRenderersDrawAtTheSameTime(t *testing.T) {
	want := render(sample, 62)
	var group sync.WaitGroup
	for range 4 {
		group.Go(func() {
			if got := render(sample, 62); got != want {
				t.Errorf("got:\n%s\n\nwant:\n%s", got, want)
			}
		})
	}
	group.Wait()
}

func TestRender(t *testing.T) {
	for _, row := range tabletest.Read(t, "render.txt") {
		t.Run(row[0], func(t *testing.T) {
			width, err := strconv.Atoi(row[1])
			if got := render(row[2], width); got != row[3] || err != nil {
				t.Errorf("got:\n%s\n\nwant:\n%s, %v", got, row[3], err)
			}
		})
	}
}

func TestRowsStandAlone(t *testing.T) {
	rows := renderRows("**a bold text that goes over several rows** and then not", 12, ansi.WcWidth, Dark())
	for _, row := range rows {
		if strings.LastIndex(row, "\x1b[1m") > strings.LastIndex(row, "\x1b[m") {
			t.Errorf("the row %q leaves its colours on", row)
		}
	}
	if !strings.HasPrefix(rows[1], "\x1b[1m") {
		t.Errorf("the row %q has lost its weight", rows[1])
	}
}

func TestHostileText(t *testing.T) {
	for _, text := range []string{
		"&#27;[2J&#155;31m", "`\x1b[2J`", "[x](https://a\x1b\\b)", "<https://a.b/\u202e>", "```\n\x1b]0;title\x07\n```",
		"| \x1b[1m |\n|--|\n| &#x1b;c |", "[x](javascript:alert(1))", "<b \x07>",
	} {
		for _, row := range renderRows(text, 30, ansi.WcWidth, Dark()) {
			checkRow(t, row, 30, ansi.WcWidth)
			if strings.Contains(row, "]8;;javascript") {
				t.Errorf("%q has become the link %q", text, row)
			}
		}
	}
}

func TestHighlightKeepsText(t *testing.T) {
	code := "\n\nif (x == 1) { return \"a\n b\" } // # c\n<a>'x</a>\n\n  \n- key: v\n+ x\n$ ls\nend\n\n"
	r := NewRenderer(200, ansi.WcWidth, Dark())
	want := r.code(code, "", 200)
	for lang := range strings.FieldsSeq("go python js sh json yaml diff cpp html sql markdown ruby console lua ?") {
		got := ansi.Strip(strings.Join(r.code(code, lang, 200), "\n"))
		if got != strings.Join(want, "\n") {
			t.Errorf("%s: %q, want %q", lang, got, want)
		}
	}
}

// TestAnyMarkdown joins pieces of Markdown at random.
func TestAnyMarkdown(t *testing.T) {
	words := strings.Split("a|word |# |- |1. |  |    |> |```|```go\n|~~~\n|&#124;|*|**|_|`|[x](http://a.b)|[|](|<b>|"+
		"</div>\n|---\n|===\n|- [ ] |日本|👩‍👩‍👧|"+
		"🏳️‍🌈|e\u0301|\u200d|&lt;|&#27;|\\|\r\n|\t|http://x.y/z |!|\x1b[1m|<br>|\u00a0|ﷺ|\u00ad|ำ", "|")
	words = append(words, "|", "|-|-|\n", "| a | b |\n", "\n", "\n\n", "\n\n")
	r := rand.New(rand.NewPCG(1, 2))
	for range 500 {
		var text strings.Builder
		for range r.IntN(60) {
			text.WriteString(words[r.IntN(len(words))])
		}
		width, m := 1+r.IntN(50), ansi.Method(r.IntN(2))
		rows := renderRows(text.String(), width, m, Dark())
		for _, row := range rows {
			checkRow(t, row, width, m)
		}
		if got := written(NewRenderer(width, m, Dark()), pieces(text.String(), r.Uint64())...); !slices.Equal(got, rows) {
			t.Errorf("in pieces:\n%q\nat once:\n%q", got, rows)
		}
		if t.Failed() {
			t.Fatalf("that was %q at width %d by method %d", text.String(), width, m)
		}
	}
}

// TestLongBlocks checks that a block drawn in pieces looks like one drawn as a whole.
func TestLongBlocks(t *testing.T) {
	numbered := ""
	for i := range 999 {
		numbered += fmt.Sprintf("%d. one\n", i+1)
	}
	for name, c := range map[string]struct{ text, want string }{
		"table": {"| a | b |\n|---|---|\n" + strings.Repeat("| one | two |\n", 2000),
			"a   │ b\n────┼────\n" + strings.Repeat("one │ two\n", 2000)},
		"code": {"```\n" + strings.Repeat("x\n\n", 4000) + "```\nend\n", strings.Repeat("  x\n\n", 4000) + "\nend"},
		"code in items": {strings.Repeat("- a\n  ```\n"+strings.Repeat("  x\n", 2000)+"  ```\n", 2),
			strings.Repeat("• a\n"+strings.Repeat("    x\n", 2000), 2)},
		"code deep in a list": {
			"1. a\n   - b\n     * c\n\n       ```go\n" + strings.Repeat("       x\n\n", 2000) +
				"       ```\n     * d\n   - e\n2. f\n",
			"1. a\n   • b\n     ◦ c\n\n       ── go\n" + strings.Repeat("         x\n\n", 2000) +
				"     ◦ d\n   • e\n2. f\n"},
		"code in a quote": {"> - a\n>   ```\n" + strings.Repeat(">   x\n", 2000) + ">   ```\n> - b\n",
			"▎ • a\n" + strings.Repeat("▎     x\n", 2000) + "▎ • b\n"},
		"code with a long info": {
			"``` " + strings.Repeat("i", 30) + strings.Repeat(" i", 600) + "\n" + strings.Repeat("x\n", 4000) + "```\n", ""},
		"long line of code in a list": {"- - ```\n    " + strings.Repeat("x", 20_000) + "\n    ```\n  - b", ""},
		"nested list": {"1. a\n   - b\n" + strings.Repeat("     - c\n", 2000) + "   - d\n3. e",
			"1. a\n   • b\n" + strings.Repeat("     ◦ c\n", 2000) + "   • d\n3. e"},
		"loose nested list": {"- b\n" + strings.Repeat("\n  * c\n", 2000),
			"• b\n" + strings.Repeat("\n  ◦ c\n", 2000)},
		"paragraphs in a list": {"1) - b\n" + strings.Repeat("\n     one two\n", 1000),
			"1) • b\n" + strings.Repeat("\n     one two\n", 1000)},
		"table in a list": {"- - | a | b |\n    |---|---|\n" + strings.Repeat("    | one | two |\n", 2000) + "  - c",
			"• ◦ a   │ b\n    ────┼────\n" + strings.Repeat("    one │ two\n", 2000) + "  ◦ c"},
		"code and more in an item": {"- ```\n" + strings.Repeat("  x\n", 1000) + "  ```\n" + strings.Repeat("  y\n\n", 3000),
			"•   x\n" + strings.Repeat("    x\n", 999) + strings.Repeat("  y\n\n", 3000)},
		"details": {"<details>\n<summary>T</summary>\n\n" + strings.Repeat("one two\n\n- a\n\n", 900) + "</details>\nend",
			"▸ T\n" + strings.Repeat("  one two\n\n  • a\n\n", 900) + "end"},
		"code in details": {"- <details>\n\n  ```\n" + strings.Repeat("  x\n", 3000) + "  ```\n\n  </details>\n- b",
			"• ▸ Details\n" + strings.Repeat("      x\n", 3000) + "• b"},
		"list":       {numbered, numbered},
		"loose list": {strings.Repeat("- one\n\n", 2000), strings.Repeat("• one\n\n", 2000)},
		"words":      {strings.Repeat("語 word ", 4000), strings.Repeat("語 word ", 4000)},
	} {
		t.Run(name, func(t *testing.T) {
			// each piece of the table repeats the head
			got := strings.ReplaceAll(render(c.text, 20), "\na   │ b\n────┼────\n", "\n")
			got = strings.ReplaceAll(got, "\n    a   │ b\n    ────┼────\n", "\n")
			if name == "words" {
				got, c.want = squeeze(got), squeeze(c.want)
			}
			if c.want == "" { // only the fence matters
				c.want, got = "", strings.Trim(squeeze(got), "xi•◦b─↩")
			}
			if want := strings.TrimRight(c.want, "\n"); strings.TrimRight(got, "\n") != want {
				at := 0
				for at < min(len(got), len(want)) && got[at] == want[at] {
					at++
				}
				at = max(0, at-60)
				t.Errorf("from byte %d of %d:\n%.300s\n\nwant:\n%.300s", at, len(got), got[at:], want[min(at, len(want)):])
			}
			r := NewRenderer(20, ansi.WcWidth, Style{})
			for _, piece := range pieces(c.text, 1) {
				if r.Write(piece); len(r.tail) > 2*maxOpen+maxHead {
					t.Fatalf("%d bytes are drawn again and again", len(r.tail))
				}
			}
		})
	}
}

func TestOpenBlock(t *testing.T) {
	for text, want := range map[string]string{
		"":                        "",
		"hello wor":               "hello wor",
		"a paragraph\n-":          "a paragraph",
		"text\n``":                "text",
		"```go\nx := 1\ny":        "── go\n  x := 1\n  y",
		"```go\nx := 1\n``":       "── go\n  x := 1",
		"- item\n  - nes":         "• item\n  ◦ nes",
		"finished\n\nopen\n**":    "\nopen",
		"finished\n\nagain\n\n# ": "\nagain",
	} {
		r := NewRenderer(40, ansi.WcWidth, Style{})
		r.Write(text)
		if got := ansi.Strip(strings.Join(r.Open(), "\n")); got != want {
			t.Errorf("%q: the open block is %q, want %q", text, got, want)
		}
	}
}

func FuzzPieces(f *testing.F) {
	f.Add(sample, uint64(1))
	f.Add(strings.Repeat("語", 3000)+"\n- a", uint64(2))
	f.Add("- a\n\n  ```\n"+strings.Repeat("x\n", 2500), uint64(3))
	f.Add("```\n"+strings.Repeat("\n", 40)+"```\n~~~", uint64(4))
	f.Fuzz(func(t *testing.T, text string, seed uint64) {
		want := renderRows(text, 40, ansi.WcWidth, Dark())
		if got := written(NewRenderer(40, ansi.WcWidth, Dark()), pieces(text, seed)...); !slices.Equal(got, want) {
			t.Errorf("in pieces:\n%q\nat once:\n%q", got, want)
		}
	})
}

// squeeze removes white space.
func squeeze(s string) string { return strings.Join(strings.Fields(s), "") }

// pieces splits text at random places, also within characters.
func pieces(text string, seed uint64) []string {
	r := rand.New(rand.NewPCG(seed, 0))
	var out []string
	for len(text) > 0 {
		n := min(len(text), 1+r.IntN(12))
		if r.IntN(20) == 0 {
			n = min(len(text), 1+r.IntN(2*maxOpen))
		}
		out = append(out, text[:n])
		text = text[n:]
	}
	return out
}

func FuzzRenderer(f *testing.F) {
	for _, width := range []int{1, 2, 7, 20, 80} {
		f.Add(sample, width, true)
		f.Add(strings.Repeat("> ", 200)+"deep\n\n"+strings.Repeat("- ", 200)+"x", width, false)
	}
	f.Add("```go\n/* \x1b[1m\n```\n&#27;]0;x\u0007 ~~*[a](b)*~~ \u200d\U0001F469\u200d\U0001F469 | \n|-|\n", 9, true)
	f.Fuzz(func(t *testing.T, text string, width int, wc bool) {
		m := ansi.GraphemeWidth
		if wc {
			m = ansi.WcWidth
		}
		width = 1 + (width%200+200)%200
		for _, row := range renderRows(text, width, m, Dark()) {
			checkRow(t, row, width, m)
		}
	})
}

// checkRow checks that a row is safe for a terminal.
func checkRow(t *testing.T, row string, width int, m ansi.Method) {
	t.Helper()
	if w := m.StringWidth(row); w > width {
		t.Errorf("%q is %d cells wide, more than %d", row, w, width)
	}
	for len(row) > 0 {
		seq, cells, n, _ := ansi.DecodeSequence(row, 0, nil)
		if cells == 0 && !strings.HasPrefix(seq, "\x1b[") && !strings.HasPrefix(seq, "\x1b]8;;") {
			if r := []rune(seq)[0]; unicode.IsControl(r) {
				t.Errorf("%q has the control character %q", row, seq)
			}
		}
		row = row[n:]
	}
}

func TestProseWidth(t *testing.T) {
	words := strings.TrimSpace(strings.Repeat("some words ", 40))
	code := strings.Repeat("x", 150)
	r := NewRenderer(200, ansi.GraphemeWidth, Style{})
	for source, width := range map[string]int{
		words:        Reading,
		"- " + words: Reading + len("- "),
		"> " + words: Reading + len("> "),
		"| a | b |\n|---|---|\n| " + words + " | c |": 200,
	} {
		widest := 0
		for _, row := range written(r, source) {
			widest = max(widest, ansi.StringWidth(row))
		}
		if widest > width || widest < width-12 {
			t.Errorf("%.20q is %d cells wide, want nearly %d", source, widest, width)
		}
	}
	if rows := r.code(code, "", 200); len(rows) != 1 {
		t.Errorf("code of 150 cells is broken into %d rows of 200", len(rows))
	}
}

func TestTableKeepsWords(t *testing.T) {
	const source = "| Plant | Neighbours that help | Neighbours that harm |\n|---|---|---|\n" +
		"| Tomato | basil, marigold and every kind of onion | potato, fennel |\n"
	for width := 20; width < 90; width++ {
		rows := ansi.Strip(strings.Join(renderRows(source, width, ansi.GraphemeWidth, Style{}), "\n"))
		for _, word := range []string{"Neighbours", "marigold", "potato,"} {
			if !strings.Contains(rows, word) {
				t.Fatalf("at %d cells %q is broken:\n%s", width, word, rows)
			}
		}
	}
}

func TestLinkWithSemicolonWraps(t *testing.T) {
	for _, address := range []string{"https://e.x/a", "https://e.x/a;b=c;d"} {
		linked := "\x1b]8;;" + address + "\x1b\\long text here\x1b]8;;\x1b\\ and more"
		for i, row := range Wrap(linked, 5, ansi.GraphemeWidth) {
			if isLinked := strings.Contains(row, "]8;;"+address); isLinked != (i < 3) {
				t.Errorf("row %d is %q", i, row)
			}
		}
	}
}
