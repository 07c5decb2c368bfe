package markdown_test

import (
	"strings"
	"testing"

	"github.com/charmbracelet/x/ansi"

	"github.com/aloudchat/aloud/ui/markdown"
)

// answer is what models usually write.
const answer = "## Sorting\n\nTo sort **in place**, use `slices.Sort`, as [the documentation](https://pkg.go.dev/slices) says.\n" +
	"It takes about *n* log *n* steps, and does not allocate.\n\n1. Copy the slice if others use it.\n2. Sort the copy.\n" +
	"   - numbers by value\n   - strings by byte\n3. Compare.\n\n```go\nfunc sorted(s []int) []int {\n\ts = slices.Clone(s)\n" +
	"\tslices.Sort(s)\n\treturn s // a copy\n}\n```\n\n| function | stable | allocates |\n|---|---|---|\n| Sort | no | no |\n" +
	"| SortStableFunc | yes | no |\n\n> Sorting twice costs twice.\n\n"

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

// BenchmarkOpen draws the open block of texts that are slow to parse.
func BenchmarkOpen(b *testing.B) {
	for name, part := range map[string]string{
		"links": "[a](", "brackets": "[", "images": "![", "references": "[a][b]", "closed": "]", "quotes": ">", "spaced": "> ",
		"stars": "*", "emphasis": "*a ", "strong": "**a", "nested": "*a _b ", "lists": "- ", "ticks": "`", "code": "` `` ",
		"tags": "<a ", "comments": "<!--", "entities": "&amp", "tildes": "~a", "cells": "|", "words": "word ", "escapes": "\\",
		"titles": "[a](b \"", "angles": "[a](<", "addresses": "http://a", "mails": "a@b", "definitions": "[a]: ", "tables": "|a\n|-\n",
	} {
		b.Run(name, func(b *testing.B) {
			r := markdown.NewRenderer(100, ansi.GraphemeWidth, markdown.Dark())
			r.Write(strings.Repeat(part, 8000/len(part)))
			for b.Loop() {
				r.Open()
			}
		})
	}
}
