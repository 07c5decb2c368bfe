package markdown

import (
	"strings"
	"testing"

	"github.com/charmbracelet/x/ansi"
)

// open returns what is on the screen while the text is being written.
func open(text string, style Style) string {
	r := NewRenderer(60, ansi.WcWidth, style)
	rows := r.Write(text)
	return strings.TrimRight(ansi.Strip(strings.Join(append(rows, r.Open()...), "\n")), " ")
}

func TestMarksNeverShowWhileStreaming(t *testing.T) {
	for _, text := range []string{
		"a **bold *and italic* word** b", "**bold**, *it*, __under__ and _it_ ~~gone~~.", "***both*** a", "中文**粗体**字",
		"`code` and `a b`` c", "**a `b c` d** e", "see [the *docs*](https://a.b/c(d) \"title\") now",
		"[a](<b c> 'd') e", "![picture](https://a.b/c.png)", "- [ ] open\n- [x] **done** x", "# A **big** `title`",
		"> **quote** and\n> _more_ of it", "| a | b |\n|---|---|\n| **c** | `d` |\n", "1. **First**: a\n2. `second`: b",
		"two **bold\nlines** here",
		"a[^1] b[^2]\n\n[^1]: c", "<details>\n<summary>**More**</summary>\n\ntext\n\n</details>\n\nend",
		"a\n<details><summary>b</summary>\n\n> <details open><summary>c</summary>\n> d",
		"H<sub>2</sub>O and x<sup>**2**</sup>", "**\"quoted\"** and **(brackets)**",
		"**标题：**内容", "这是**“引用”**的*（意思）*。~~删除。~~好", "다음은 **\"강조\"**입니다",
	} {
		for i := range text {
			shown := open(text[:i], Dark())
			if strings.ContainsAny(shown, "*_~`[]<>") {
				t.Errorf("%q shows a mark: %q", text[:i], shown)
			}
		}
	}
}

func TestDetailsStayWhileTheirTitleIsWritten(t *testing.T) {
	for _, text := range []string{"<details><summary>Title</summary>\n", "<details open>\n<summary>\nTitle</summary>\n"} {
		for i, isDrawn := 1, false; i < len(text); i++ {
			shown := open(text[:i], Dark())
			if isDrawn && shown == "" {
				t.Errorf("%q shows nothing", text[:i])
			}
			isDrawn = shown != ""
		}
	}
}

func TestOpenMarksAreDrawnClosed(t *testing.T) {
	for text, want := range map[string]string{
		"a **b":                 "a b",
		"a **":                  "a",
		"a **b*":                "a b",
		"a ~~b~":                "a b",
		"a * b":                 "a * b",
		"字_字":                   "字_字",
		"2*3 = 6":               "2*3 = 6",
		"snake_case_name":       "snake_case_name",
		"~100 km":               "~100 km",
		"a \\*b \\`c":           "a *b `c",
		"`a **b":                "a **b",
		"[a](https://b.c/d":     "a (https://b.c/d)",
		"[a](b \"c":             "a (b \"c\")",
		"[a] b":                 "[a] b",
		"[a](b c":               "[a](b c",
		"see [a] and [b":        "see [a] and b",
		"[[1, 2":                "[1, 2",
		"[[1, 2], [3":           "[[1, 2], 3",
		"[[1, 2], [3]] and [a":  "[[1, 2], [3]] and a",
		"[see [a](b) for":       "[see a (b) for",
		"[![a](b":               "image: a (b)",
		"**a\\":                 "a",
		"**a\\\\":               "a\\",
		"lone ** here":          "lone ** here",
		"**lone\n\n":            "**lone",
		"# **lone\n":            "**lone",
		"```\n**a":              "  **a",
		"    a **b":             "  a **b",
		"$$\na_1 **b":           "$$\na_1 **b",
		"a **b\n":               "a b",
		"> [!NO":                "▎",
		"a **b** **c `d` *e":    "a b c d e",
		"\\(a_1 *b":             "\\(a_1 *b",
		"a <kb":                 "a",
		"<kbd>a":                "[a]",
		"<kbd>a</kbd> b":        "[a] b",
		"x<sup>2":               "x²",
		"if a < b":              "if a < b",
		"**a**\n\n- **b":        "a\n\n• b",
		"- a\n\n\n**b":          "• a\n\nb",
		"| **a | b |":           "| a | b |",
		"| a |\n|-|\n| **b":     "a\n─\nb",
		"| a |\n|-|\n| **b |\n": "a\n───\n**b",
	} {
		if got := open(text, Dark()); got != want {
			t.Errorf("%q shows %q, want %q", text, got, want)
		}
	}
}

func TestOpenLinkAfterManyReferencesShowsNoMarks(t *testing.T) {
	if shown := open(strings.Repeat("[a][b] ", 150)+"[c](d", Dark()); !strings.HasSuffix(shown, " c (d)") {
		t.Errorf("the end is %q", shown[len(shown)-20:])
	}
}

func TestFinishedTextShowsLoneMarks(t *testing.T) {
	for _, text := range []string{"a **b", "a `b", "a [b", "a ~~b", "**", "a _b", "a **b\n\n# c"} {
		want := strings.Replace(text, "# ", "", 1)
		if got := strings.Join(renderRows(text, 60, ansi.WcWidth, Style{}), "\n"); ansi.Strip(got) != want {
			t.Errorf("%q shows %q", text, got)
		}
	}
}
