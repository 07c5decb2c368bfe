package tinymodel

import "fmt"

// weak returns scripts with mistakes. Most of them read the file proof.txt with the text [[proof]], which starts the
// script that reports the result.
func weak() map[string]Script {
	proof := `{"name": "notes__read_text_file", "arguments": {"path": "proof.txt"}}`
	scripts := map[string]Script{
		"proof": {{Text: "(not said)"}, {Text: "The result reached me.\n"}, {Text: "The result reached me in the end.\n"}},

		"wrong-type":     misstep("wrong-type", call("notes__read_text_file", `{"path": "lines.txt", "head": "1"}`)),
		"list-in-string": misstep("list-in-string", call("notes__read_multiple_files", `{"paths": "[\"proof.txt\"]"}`)),
		"one-for-list":   misstep("one-for-list", call("notes__read_multiple_files", `{"paths": "proof.txt"}`)),
		"missing-argument": {
			{Text: call("notes__read_text_file", `{"head": 1}`)},
			{Text: call("notes__read_text_file", `{"head": 1, "path": "proof.txt"}`)},
		},

		"name-in-capitals": misstep("name-in-capitals", call("Notes__Read-Text-File", `{"path": "proof.txt"}`)),
		"name-alone":       misstep("name-alone", call("read_text_file", `{"path": "proof.txt" }`)),
		"name-invented": {
			{Text: call("notes__open_text", `{"path": "proof.txt"}`)},
			{Text: call("notes__read_text_file", `{ "path": "proof.txt"}`)},
		},

		"call-swallowed": {{Text: "<tool_call>\n{\"name\": \"notes__read_text_file\", \"arguments\": {\"path\": " +
			"whatever the unquoted file may be called\n</tool_call>"}},
		"call-swallowed/again": {{Text: call("notes__read_text_file", `{"path":  "proof.txt"}`)}},
		"name-swallowed":       {{Text: call("Notes__Read_Text_File", `{ "path":  "proof.txt"}`)}},
		"name-swallowed/again": {{Text: call("notes__read_text_file", `{"path" : "proof.txt"}`)}},

		"empty/again":        {{}},
		"silent-reader":      {{Text: call("notes__read_text_file", `{"path": "silence.txt"}`)}},
		"silence":            {{Text: "(never said)"}, {}},
		"silence/again":      {{Text: "I looked into the silence."}},
		"talks-first":        {{Text: "Let me see. " + call("notes__read_text_file", `{"path": "mute.txt"}`)}},
		"mute":               {{Text: "(unsaid)"}, {}},
		"mute/again":         {{}},
		"only-thought":       {{Think: "The person wants a number. It is forty-two, surely."}},
		"only-thought/again": {{Text: "The number is forty-two."}},
		"muses": {{
			Think: "Let me think about it once more, from the very beginning, and then again.", ThinkForever: true,
			Text: "Never said.",
		}},
		"muses/again":    {{Text: "I am done with thinking."}},
		"muses-on":       {{Think: "I cannot help but think of it, over and over.", ThinkForever: true}},
		"muses-on/again": {{Think: "Even now that I was told, on and on it goes.", ThinkForever: true}},
		"stumbles":       {{Text: "Auspicious beginnings."}},
		"stumbles/again": {{Text: "Briefly: it ends well."}},
		"garbled":        {{Text: "(unheard of)"}},
		"garbled/again":  {{Text: call("notes__read_text_file", `{ "path" : "proof.txt"}`)}},

		"thought-in-text": {{
			Text: "<think>\nNobody should read this thought.\n</think>\n\nThis is the visible answer.",
		}},
		"thought-unclosed":       {{Text: "<think>\nNobody should read this endless thought"}},
		"thought-unclosed/again": {{Text: "This is what I meant to say."}},
		"thought-closed":         {{Text: "Nobody should read what came before.\n</think>\n\nThis is the answer behind it."}},
		"object-answer":          {{Text: "{\"name\": \"Ada\", \"age\": 36, \"born\": 1815}"}},

		"parts": {
			{Text: call("notes__read_text_file", `{"path": "part-1.txt"}`)},
			{Text: call("notes__read_text_file", `{"path": "part-2.txt"}`)},
			{Text: call("notes__read_text_file", `{"path": "part-3.txt"}`)},
			{Text: "All parts reached me."},
		},
		"hard":  {{Text: call("notes__read_text_file", `{"path": "hard.txt"}`)}},
		"large": {{Text: call("notes__read_text_file", `{"path": "large.txt"}`)}},
		"tail":  {{Text: "(too early)"}, {Text: "The end of it reached me."}},

		"twice": {{Text: echo("once and again")}, {Text: echo("once and again") + " "}, {Text: "Twice is enough.\n"}},
		"thrice": {
			{Text: echo("thrice")}, {Text: echo("thrice") + " "}, {Text: echo("thrice") + "  "},
			{Text: "Three times is too much.\n"},
		},
	}
	for name, printed := range map[string]string{
		"object":   proof,
		"fence":    "```json\n" + proof + "\n```",
		"tag":      "<tool_call>\n" + proof + "\n</tool_call> ",
		"function": "<function=notes__read_text_file>\n<parameter=path>\nproof.txt\n</parameter>\n</function>",
		"json":     `<function=notes__read_text_file>{"path": "proof.txt"}</function>`,
		"bracket":  "[TOOL_CALLS] [" + proof + "]",
		"args":     `[TOOL_CALLS]notes__read_text_file[ARGS]{"path": "proof.txt"}`,
		"python":   `<|python_tag|>{"name": "notes__read_text_file", "parameters": {"path": "proof.txt"}}`,
		"two":      proof + "\n" + `{"name": "everything__get-sum", "arguments": {"a": 40, "b": 2}}`,
	} {
		scripts["printed-"+name] = Script{{Text: printed}, {Text: fmt.Sprintf("Nothing came back from %q.", name)}}
	}
	return scripts
}

// misstep returns a script with one wrong call, and a text for the case that the proof is missing.
func misstep(name, text string) Script {
	return Script{{Text: text}, {Text: fmt.Sprintf("No proof came of %q.", name)}}
}
