package repair

import (
	"fmt"
	"strings"
	"testing"
)

// lines returns n lines, made from a format with one number.
func lines(n int, format string, number func(int) int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, format+"\n", number(i))
	}
	return b.String()
}

func upwards(i int) int { return i + 1 }

// scattered returns numbers that do not follow from those before.
func scattered(i int) int { return (i*7919 + 13) % 997 }

func TestFold(t *testing.T) {
	const verse = "Row, row, row your boat\nGently down the stream\n"
	const help = "I am here to help. "
	const half = "x is a letter, and so is ģ"
	board := "```html\n" + strings.Repeat("<td></td>", 225) + "\n"
	const drinks = "- Tea\n- Milk, with honey\n"
	for name, test := range map[string]struct{ text, want string }{
		"a word":            {"Sure: " + strings.Repeat("ha ", 34), "Sure: ha ha ha ha … 34 times"},
		"a digit":           {"1/3 = 0." + strings.Repeat("3", 100), "1/3 = 0.333333333 … 100 times"},
		"a letter":          {"Whee" + strings.Repeat("e", 100), "Wheeeeeeeee … 102 times"},
		"a sentence":        {"Hi. " + strings.Repeat(help, 34), "Hi. " + help + help + "… 34 times"},
		"a line":            {strings.Repeat("The end.\n", 34), "The end.\nThe end.\n… 34 times"},
		"a running number":  {lines(200, "%d. Eat more fruit", upwards), "1. Eat more fruit\n2. Eat more fruit\n… 200 times"},
		"some lines":        {strings.Repeat(drinks, 12), drinks + drinks + "… 12 times"},
		"Japanese":          {strings.Repeat("はい、そうです。", 9), "はい、そうです。はい、そうです。 … 9 times"},
		"emoji":             {"Oh " + strings.Repeat("🙂🙃", 50), "Oh 🙂🙃🙂🙃 … 50 times"},
		"half a letter":     {"ã" + strings.Repeat(half, 50), "ã" + half + half + "x … 50 times"}, // they share a byte
		"cut in the middle": {strings.Repeat(help, 9) + "I am", help + help + "… 9 times"},
		"white space":       {"Yes." + strings.Repeat("\n", 300), "Yes."},
		"nothing":           {"", ""},
		"a board":           {board, board},
		"an end":            {strings.Repeat("Yes. ", 30) + "That was all.", strings.Repeat("Yes. ", 30) + "That was all."},
		"a refrain":         {"One.\n" + verse + "Two.\n" + verse, "One.\n" + verse + "Two.\n" + verse},
	} {
		if got := fold(test.text); got != test.want {
			t.Errorf("%s: got\n%q, want\n%q", name, got, test.want)
		}
		if got := fold(fold(test.text)); got != test.want {
			t.Errorf("%s: folded twice it is\n%q", name, got)
		}
	}
}

// Text with much in common is not repetition.
func TestTextThatOnlyLooksRepeated(t *testing.T) {
	for name, text := range map[string]string{
		"a list of numbers":  lines(999, "%d", scattered),
		"counting":           lines(999, "%d", upwards),
		"counting in a line": strings.ReplaceAll(lines(999, "%d,", upwards), "\n", " "),
		"counting apples":    lines(999, "%d apples", upwards),
		"chapters":           lines(999, "%d. Chapter", upwards),
		"an empty list":      lines(999, "%d. ☐ ☐ ☐ ☐ ☐", upwards),
		"a form":             lines(999, "%d. Name: ______ ______", upwards),
		"years":              lines(999, "%d. Born in the same year", scattered),
		"versions":           lines(999, "%d.0 is the same as before", upwards),
		"bottles":            lines(999, "%d bottles of beer on the wall", func(i int) int { return 999 - i }),
		"server names":       lines(999, "server-%03d is up and running", upwards),
		"measurements":       lines(999, "Server: the temperature is %d degrees", scattered),
		"addresses":          lines(300, "user%d@example.com", upwards),
		"CSV":                lines(300, "%[1]d,user%[1]d,active,no errors found", upwards),
		"a table":            lines(300, "| Server %d | active and healthy | no errors |", upwards),
		"a list of pages":    lines(300, "- Page %d of the book", upwards),
		"records":            lines(300, `{"id": %[1]d, "username": "user%[1]d", "department": "engineering"},`, upwards),
		"calls":              lines(300, `{"name": "read_file", "arguments": {"path": "page%d.txt"}}`, upwards),
		"SQL":                lines(300, "INSERT INTO users (id, name) VALUES (%[1]d, 'user%[1]d');", upwards),
		"SVG":                lines(300, `<circle cx="%d" cy="10" r="2"/>`, upwards),
		"code":               "```go\n" + lines(300, "case %d: return nothing", upwards),
		"a times table":      lines(300, "%[1]d times three is %[1]d3", scattered),
	} {
		var r repetition
		most := 0
		for _, piece := range strings.SplitAfter(text, " ") {
			if r.next(piece); r.times() > 1 {
				most = max(most, r.repeatedTokens())
			}
		}
		if most > repeatsShown/2 {
			t.Errorf("%s: %d tokens count as repeated", name, most)
		}
	}
}

// The result does not depend on how the text is cut.
func TestRepetitionInPieces(t *testing.T) {
	text := "Some fruit:\n" + lines(200, "%d. Eat an apple, or 12 pears", upwards)
	var whole, bytes repetition
	whole.next(text)
	for i := range text {
		bytes.next(text[i : i+1])
	}
	bytes.pieces, bytes.fromPiece = whole.pieces, whole.fromPiece
	if whole != bytes || whole.times() < 190 {
		t.Errorf("%d and %d times", whole.times(), bytes.times())
	}
}

func BenchmarkRepetition(b *testing.B) {
	text := lines(200, "%d. The model writes words that are not the same as before", scattered)
	b.SetBytes(int64(len(text)))
	b.ReportAllocs()
	for b.Loop() {
		var r repetition
		r.next(text)
	}
}
