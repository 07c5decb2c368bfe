package tinymodel

import (
	"fmt"
	"maps"
	"strings"
)

// Scenarios returns the scripts of the end-to-end tests. They name tools as aloud does, "server__tool": everything and
// notes are the reference servers server-everything and server-filesystem, clock is built in.
func Scenarios() map[string]Script {
	scripts := map[string]Script{
		Fallback:  {{Text: "I have no script for that."}},
		"status":  {{Text: "Working on it for the test"}},
		"last":    {{Text: "This is all I found before I had to stop."}},
		"empty":   {{}},
		"summary": {{Text: "In short: they wanted lines, and lines they got."}},
		"lines": {{Text: counted("This is line number %d of the long list of items, "+
			"and this is the next line of it.\n", 40)}},

		"answer": {{Text: "Hello! This is a **plain answer** with `code`, a list:\n\n- one\n- two\n\nand a block:\n\n" +
			"```go\nfunc main() { fmt.Println(\"☃ 日本\") }\n```\n"}},
		"think": {{
			Think: "The user wants to see me think.\nSo I think, step by step.",
			Text:  "Done thinking: the answer is 42.\n",
		}},
		"long": {{Text: "# A long answer\n\n" +
			counted("%[1]d. Item number %[1]d of the long list, with **bold-%[1]d** and `code-%[1]d`.\n", 200) +
			"\nThat was the long answer.\n"}},
		"endless": {{Text: counted("endless-%d ", 40), Forever: true}},
		"stuck":   {{Text: "Now I repeat: again-and-again ", Stuck: true}},
		"hostile": {{Text: "Title\x1b]0;owned\x07 red\x1b[31m clipboard\x1b]52;c;aGk=\x07 reversed\u202e and out.\n"}},

		"tool": {{Text: echo("one tool")}, {Text: "The tool repeated it.\n"}},
		"think-tool": {
			{Think: "I need the echo for this.", Text: echo("thought")},
			{Think: "Now I know it.", Text: "Thinking and calling went well.\n"},
		},
		"chain": {
			{Text: echo("step one")},
			{Text: sum(2, 3)},
			{Text: echo("step three")},
			{Text: "Three steps done.\n"},
		},
		"two-tools": {{Text: echo("left hand") + "\n" + sum(40, 2)}, {Text: "Both tools answered.\n"}},
		"marker":    {{Text: echo("see [[proof]]")}},
		"slow-tool": {{Text: slow(60)}, {Text: "The slow tool is done.\n"}},
		"slow-chain": {
			{Text: slow(1) + " "},
			{Text: echo("in between")},
			{Text: slow(2)},
			{Text: "The slow steps are done.\n"},
		},
		"write":      {{Text: write("written.txt")}, {Text: "The file is written.\n"}},
		"wait-write": {{Text: slow(1)}, {Text: write("late.txt")}, {Text: "The late file is written.\n"}},

		"asks": {
			{Text: "A question comes. " + slow(1)}, {Text: call("everything__trigger-elicitation-request", "{}")},
			{Text: "The server has its answer.\n"},
		},
		"visits": {
			{Text: "A page comes. " + slow(1)},
			{Text: call("everything__trigger-url-elicitation", `{"url": "https://example.org/gate"}`)},
			{Text: "The page was visited.\n"},
		},
		"sampled": {{Text: "It was a dark and stormy night."}},
		"roots":   {{Text: call("everything__get-roots-list", "{}")}, {Text: "Those are the folders.\n"}},

		"recovers":     {{Text: read("missing.txt")}, {Text: echo("second try")}, {Text: "The second tool worked.\n"}},
		"always-fails": repeated(20, func(i int) string { return read(fmt.Sprintf("missing-%d.txt", i)) }),
		"forever":      repeated(40, func(i int) string { return echo(fmt.Sprintf("round %d", i)) }),
		"same-call":    repeated(12, func(int) string { return echo("the same again") }),
		"unknown-tool": repeated(6, func(i int) string {
			return call("everything__no_such_tool", fmt.Sprintf(`{"try": %d}`, i))
		}),
		"broken-call": {{Text: "<tool_call>\n{\"name\": \"everything__echo\", \"arguments\": {\"message\": \n</tool_call>"}},
		"bad-tool":    {{Text: call("bad__use", `{"how": "badly"}`)}, {Text: "That was the bad tool.\n"}},
		"bad-and-good": {
			{Text: call("bad__use", `{"how": "once more"}`)},
			{Text: echo("the others work")},
			{Text: "One was bad, one was good.\n"},
		},
		"gives-up": {{Text: "[cannot] I have no tool that could brew coffee."}},
	}
	maps.Copy(scripts, weak())
	return scripts
}

// call returns a tool call as the model writes it.
func call(name, arguments string) string {
	return fmt.Sprintf("<tool_call>\n{\"name\": %q, \"arguments\": %s}\n</tool_call>", name, arguments)
}

func echo(message string) string {
	return call("everything__echo", fmt.Sprintf(`{"message": %q}`, message))
}
func sum(a, b int) string {
	return call("everything__get-sum", fmt.Sprintf(`{"a": %d, "b": %d}`, a, b))
}
func read(path string) string {
	return call("notes__read_text_file", fmt.Sprintf(`{"path": %q}`, path))
}

func slow(seconds int) string {
	return call("everything__trigger-long-running-operation", fmt.Sprintf(`{"duration": %d, "steps": 4}`, seconds))
}

func write(path string) string {
	return call("notes__write_file", fmt.Sprintf(`{"path": %q, "content": "by the model"}`, path))
}

// repeated returns a script of n steps. Spaces at the end make steps with the same call distinct.
func repeated(n int, text func(i int) string) Script {
	script := make(Script, n)
	for i := range script {
		script[i].Text = text(i) + strings.Repeat(" ", i)
	}
	return script
}

// counted returns a text n times, with the number of each.
func counted(format string, n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, format, i)
	}
	return b.String()
}
