package markdown_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/charmbracelet/x/ansi"

	"github.com/aloudchat/aloud/ui/markdown"
)

// answer is what models usually write.
const answer = "## Sorting\n\n" +
	"To sort **in place**, use `slices.Sort`, as [the documentation](https://pkg.go.dev/slices) says.\n" +
	"It takes about *n* log *n* steps, and does not allocate.\n\n" +
	"1. Copy the slice if others use it.\n2. Sort the copy.\n   - numbers by value\n   - strings by byte\n" +
	"3. Compare.\n\n" +
	"```go\nfunc sorted(s []int) []int {\n\ts = slices.Clone(s)\n\tslices.Sort(s)\n\treturn s // a copy\n}\n" +
	"```\n\n" +
	"| function | stable | allocates |\n|---|---|---|\n| Sort | no | no |\n| SortStableFunc | yes | no |\n\n" +
	"> Sorting twice costs twice.\n\n"

// BenchmarkAnswer draws an answer as it arrives, by words.
func BenchmarkAnswer(b *testing.B) {
	words := strings.SplitAfter(strings.Repeat(answer, 5), " ")
	for b.Loop() {
		r := markdown.NewRenderer(100, ansi.GraphemeWidth, markdown.Dark())
		for _, w := range words {
			r.Write(w)
			r.Open()
		}
		r.Close()
	}
}

// BenchmarkWhole draws a stored answer.
func BenchmarkWhole(b *testing.B) {
	text := strings.Repeat(answer, 20)
	for b.Loop() {
		r := markdown.NewRenderer(100, ansi.GraphemeWidth, markdown.Dark())
		r.Write(text)
		r.Close()
	}
}

// hostile has texts of 8 kB that are slow to parse, without an end.
var hostile = map[string]string{
	"links": repeat("[a]("), "brackets": repeat("["), "images": repeat("!["), "references": repeat("[a][b]"),
	"closed": repeat("]"), "pairs": repeat("[")[:4000] + repeat("]")[:4000], "pictures": repeat("![]("),
	"angles": repeat("[a](<"), "titles": repeat("[a](b \""), "labels": repeat("[a][b"), "definitions": repeat("[a]: "),
	"quotes": repeat(">"), "spaced quotes": repeat("> "), "lists": repeat("- "), "numbers": repeat("1. "),
	"both": repeat("> - "), "deep list": nested(120), "deep quote": repeat(repeat("> ")[:200] + "a\n"),
	"stars": repeat("*"), "emphasis": repeat("*a "), "strong": repeat("**a"), "nested": repeat("*a _b "),
	"closing": repeat("a* "), "both ways": repeat("*a")[:4000] + repeat("a*")[:4000], "mixed": repeat("a**b_c*d__"),
	"tildes": repeat("~a"), "ticks": repeat("`"), "code": repeat("` `` "), "growing code": growing(),
	"tags": repeat("<a "), "open tags": repeat("<a b='"), "less": repeat("<"), "comments": repeat("<!--"),
	"declarations": repeat("<!A"), "instructions": repeat("<?"), "entities": repeat("&amp"), "escapes": repeat("\\"),
	"addresses": repeat("http://a"), "mails": repeat("a@b"), "dots": repeat("www.a."), "cells": repeat("|"),
	"tables": repeat("|a\n|-\n"), "words": repeat("word "),
	"wide table": repeat("|a")[:2600] + "\n" + repeat("|-")[:2600] + "\n" + repeat("|\n")[:2700],
	"wide cells": "|a|b|\n|-|-|\n|" + repeat("word "), "fences": repeat("```\n~~~\n"), "rules": repeat("a\n---\n"),
	"formulas": repeat(`\(a `), "closed formulas": repeat(`\(a\) `), "dollars": repeat("$a_b "), "blocks": repeat("$$\n"),
	"scripts": "$$" + repeat("x_{")[:54] + "x" + repeat("}")[:18] + "$$", "roots": "$$" + repeat(`\sqrt{a}`)[:4080] + "$$",
	"columns": "$$" + repeat("a&")[:3900] + "$$", "fractions": "$$" + repeat(`\frac{ab}{c}`)[:4056] + "$$",
	"primes": "$$x" + repeat("'")[:4080] + "$$",
	"keys":   repeat("<kbd>"), "key pairs": repeat("<kbd>")[:4000] + repeat("</kbd>")[:4000],
	"small":   repeat("<sub>a</sub>"),
	"details": repeat("<details>\n"), "summaries": repeat("<details><summary>\n"), "alerts": repeat("> [!NOTE]\n"),
	"footnotes": repeat("[^1]: a\n"), "footnote marks": repeat("[^1]"), "terms": repeat("a\n: b\n"),
	"lines": repeat("a  \n"), "code block": "```go\n" + repeat("/*\"'"),
}

func repeat(part string) string { return strings.Repeat(part, 8000/len(part)) }

// nested returns a list in which each item is in the one before.
func nested(depth int) string {
	var b strings.Builder
	for i := range depth {
		b.WriteString(strings.Repeat(" ", i) + "- a\n")
	}
	return b.String()
}

func growing() string {
	var b strings.Builder
	for i := 1; b.Len() < 8000; i++ {
		b.WriteString(strings.Repeat("`", i) + " ")
	}
	return b.String()
}

// BenchmarkOpen draws an open block of hostile text.
func BenchmarkOpen(b *testing.B) {
	for name, text := range hostile {
		b.Run(strings.ReplaceAll(name, " ", "-"), func(b *testing.B) {
			r := markdown.NewRenderer(100, ansi.GraphemeWidth, markdown.Dark())
			r.Write(text + "x")
			for b.Loop() {
				r.Open()
			}
		})
	}
}

// BenchmarkHostile draws hostile text as it arrives.
func BenchmarkHostile(b *testing.B) {
	for name, text := range hostile {
		b.Run(strings.ReplaceAll(name, " ", "-"), func(b *testing.B) {
			for b.Loop() {
				r := markdown.NewRenderer(100, ansi.GraphemeWidth, markdown.Dark())
				for part := range slices.Chunk([]byte(text+text), 1000) {
					r.Write(string(part))
					r.Open()
				}
				r.Close()
			}
		})
	}
}
