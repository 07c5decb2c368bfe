package demo

import (
	"fmt"
	"slices"
	"strings"

	"github.com/aloudchat/aloud/provider"
)

// talk answers what needs no tool, or has none.
func talk(question string, tools []provider.ToolSpec) reply {
	words := meanings(question)
	has := func(any ...string) bool {
		return slices.ContainsFunc(any, func(word string) bool { return words[stem(word)] == 10 })
	}
	lower := strings.ToLower(question)
	switch {
	case strings.Contains(lower, "can you do") || strings.Contains(lower, "can i ask") || strings.Contains(lower, "who are you") || has("help", "tools"):
		return reply{"Looking at the tools", "The question is about myself: I name what I am offered.", abilities(tools), nil}
	case has("python"):
		return reply{"Choosing an example", "A short program shows how code looks here.", pythonSample, nil}
	case has("code", "function", "program", "golang", "script", "snippet"):
		return reply{"Choosing an example", "A short program shows how code looks here.", goSample, nil}
	case has("markdown", "table", "formatting"):
		return reply{"Choosing an example", "A bit of everything shows how answers look here.", markdown, nil}
	case strings.Contains(lower, "how are you"), has("hello", "hi", "hey", "thanks", "thank", "morning"):
		return reply{"Greeting", "A greeting is best answered with one.", "Hello! Ask me something that a tool can find out, for example:\n\n" + examples(tools), nil}
	}
	text := "I do not know, and none of the tools I am offered fits the question. What works here, for example:\n\n"
	if len(tools) == 0 {
		text = "I do not know: without tools I know next to nothing. What works here, for example:\n\n"
	}
	return reply{"Looking for a tool", "No tool fits the words of the question well enough. It is better to say so than to guess.", text + examples(tools), nil}
}

// abilities lists the offered tools.
func abilities(tools []provider.ToolSpec) string {
	if len(tools) == 0 {
		return "I am offered no tools, so there is not much: I can show you code, or how Markdown looks."
	}
	var b strings.Builder
	fmt.Fprintf(&b, "I am offered %d tools, and use the one that fits the words of a question:\n", len(tools))
	for _, t := range tools {
		fmt.Fprintf(&b, "\n- **%s** (`%s`): %s", title(t.Name), t.Name, firstLine(t.Description))
	}
	return b.String() + "\n\nAsk for instance:\n\n" + examples(tools)
}

// examples are questions that work with the offered tools.
func examples(tools []provider.ToolSpec) string {
	var out []string
	for _, question := range []string{
		"what time is it in Tokyo and in London?",
		"list the files in this folder",
		"read README.md",
		"fetch https://example.com",
	} {
		if len(plan(question, tools)) > 0 {
			out = append(out, "- "+question)
		}
	}
	return strings.Join(append(out, "- show me some code"), "\n")
}

const goSample = "Here is a small Go program that counts the words of its input:\n\n" + "```go" + `
package main

import (
	"bufio"
	"fmt"
	"os"
)

func main() {
	counts := map[string]int{}
	in := bufio.NewScanner(os.Stdin)
	in.Split(bufio.ScanWords)
	for in.Scan() {
		counts[in.Text()]++ // every word once more
	}
	fmt.Println(len(counts), "different words")
}
` + "```" + "\n\nRun it with `go run . < file.txt`."

const pythonSample = "Here is a small Python program that counts the words of its input:\n\n" + "```python" + `
import sys
from collections import Counter

counts = Counter(sys.stdin.read().split())
for word, n in counts.most_common(10):
    print(f"{n:5} {word}")  # the ten most frequent
` + "```" + "\n\nRun it with `python3 count.py < file.txt`."

const markdown = `## Markdown

Answers may have **bold**, *italic* and ` + "`code`" + `, and

1. numbered lists,
2. with [links](https://example.com),

| and  | tables |
|------|--------|
| with | cells  |

> as well as quotations.`
