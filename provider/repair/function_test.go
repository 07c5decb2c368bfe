package repair

import (
	"encoding/json"
	"strconv"
	"strings"
	"testing"
	"unicode/utf8"
)

// TestTagsInValues has values that contain the tags of their own form. They are kept whole, or the call fails.
func TestTagsInValues(t *testing.T) {
	const begin = "<function=write>\n<parameter=path>\na.md\n</parameter>\n<parameter=content>\n"
	const end = "\n</parameter>\n</function>"
	tests := []struct{ name, content, want string }{
		{"a parameter", "see <parameter=path>other.md</parameter> here", `{"path":"a.md","content":"see <parameter=path>` +
			`other.md</parameter> here"}`},
		{"a parameter on its own line", "see\n<parameter=path>other.md</parameter>",
			`{"path":"a.md","content":"see\n<parameter=path>other.md</parameter>"}`},
		{"a tag without a name", "<parameter>a</parameter>", `{"path":"a.md","content":"<parameter>a</parameter>"}`},
		{"a tag with an attribute", `<parameter name="x">a</parameter>`,
			`{"path":"a.md","content":"<parameter name=\"x\">a</parameter>"}`},
		{"the end of a function", "a\n</function>\nb", `{"path":"a.md","content":"a\n</function>\nb"}`},
		{"the end of a call", "a\n</tool_call>\nb", `{"path":"a.md","content":"a\n</tool_call>\nb"}`},
		{"a whole call", "<tool_call>\n<function=read>\n<parameter=path>\nb\n</parameter>\n</function>\n</tool_call>",
			`{"path":"a.md","content":"<tool_call>\n<function=read>\n<parameter=path>\nb\n</parameter>\n</function>` +
				`\n</tool_call>"}`},
		{"line breaks", "\na\n", `{"path":"a.md","content":"\na\n"}`},

		{"only an end", "a </parameter> b", "broken"},
		{"only a beginning", "a <parameter=path> b", "broken"},
		{"a parameter again", "a\n</parameter>\n<parameter=path>\nother.md", "broken"},
		{"both ends", "a\n</parameter>\n</function>\nb", "broken"},
		{"all ends", "a\n</parameter>\n</function>\n</tool_call>\nb", "broken"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			for _, around := range [][2]string{{"", ""}, {"<tool_call>\n", "\n</tool_call>"}, {"I will write it.\n", ""}} {
				message := around[0] + begin + test.content + end + around[1]
				for _, pieces := range [][]string{{message}, strings.Split(message, "")} {
					_, found, _ := foundIn(pieces...)
					got := "no call"
					if len(found.Calls) == 1 {
						got = string(found.Calls[0].Arguments)
						if found.Calls[0].Complaint != "" {
							got = "broken"
						}
					}
					if got != test.want || strings.TrimSpace(found.After) != "" {
						t.Errorf("%q: %s, then %q", message, got, found.After)
					}
				}
			}
		})
	}
}

// TestLineBreaksAroundValues has values whose tags are on lines of their own, or not.
func TestLineBreaksAroundValues(t *testing.T) {
	for _, test := range []struct{ value, want string }{
		{"a", "a"}, {"\na\n", "a"}, {"\r\na\r\n", "a"}, {"\n\na\n\n", "\na\n"}, {"a\nb", "a\nb"}, {"\na\nb\n", "a\nb"},
		{"\r\na\r\nb\r\n", "a\r\nb"}, {"", ""}, {"\n", ""}, {"\n\n", ""}, {"\na\r\nb\n", "a\r\nb"},
		{"a\n", "a"}, {"a\r\n", "a"}, {"\na", "a"}, {"\r\na", "a"}, {" a \n", " a "},

		{"a\nb\n", "broken"}, {"a\n\n", "broken"}, {"\na\nb", "broken"}, {"\n\na", "broken"}, {"a\r\nb\n", "broken"},
		{"\na\r\n", "broken"}, {"\r\na\n", "broken"}, {"a\rb\n", "broken"}, {"\na\r", "broken"},
	} {
		for _, begin := range []string{"<function=read>\n<parameter=path>", "<function=read><parameter=path>"} {
			message := begin + test.value + "</parameter>\n</function>"
			_, found, _ := foundIn(message)
			if len(found.Calls) != 1 {
				t.Fatalf("%q: %+v", message, found)
			}
			var got struct{ Path string }
			call := found.Calls[0]
			if err := json.Unmarshal(call.Arguments, &got); err != nil {
				t.Fatal(err)
			}
			if call.Complaint != "" {
				got.Path = "broken"
			}
			if got.Path != test.want {
				t.Errorf("%q: %q, want %q", message, got.Path, test.want)
			}
		}
	}
}

func TestLeftovers(t *testing.T) {
	for name, message := range map[string]string{
		"text in a function":      "<function=read>\n<parameter=path>a</parameter>\nb\n</function>",
		"an end in a function":    "<function=read>\n<parameter=path>a</parameter></parameter>\n</function>",
		"an end after a function": "<function=read>\n<parameter=path>a</parameter>\n</function>\n</parameter>",
		"a parameter again": "<function=read>\n<parameter=path>a</parameter>" +
			"<parameter=path>b</parameter></function>",
		"a parameter without end":        "<function=read>\n<parameter=path>\na\n<parameter=b>\nc\n</tool_call>",
		"invalid text":                   "<function=read>\n<parameter=path>\xff</parameter></function>",
		"tags after JSON":                `<function=read>{"path":"a"}</function>"}</function>`,
		"the rest of a string":           `{"name":"read","arguments":{"path":"a"}}", "path": "b"}}`,
		"the rest of a string in a list": `[TOOL_CALLS][{"name":"read","arguments":{"path":"a"}}]"}}]`,
	} {
		_, found, _ := foundIn(message)
		if len(found.Calls) != 1 || found.Calls[0].Complaint == "" || !found.alone() {
			t.Errorf("%s: %+v", name, found)
		}
	}
	for name, message := range map[string]string{
		"a name twice":       `{"name":"read","arguments":{"path":"a"},"name":"write"}`,
		"arguments twice":    `{"name":"read","arguments":{"path":"a"},"arguments":{"path":"b"}}`,
		"an escaped name":    `{"name":"read","arguments":{"path":"a"},"n\u0061me":"write"}`,
		"quotes in a string": `{"name":"write","arguments":{"content":"say "path": "b""}}`,
		"Python":             `[write(content="say "hi", path="b"")]`,
		"only the beginning": "<function=read>\n<parameter=path>\na",
		"words":              "<function=read> is how a call begins, and </function> is how it ends.",
	} {
		if _, found, _ := foundIn(message); len(found.Calls) != 0 {
			t.Errorf("%s: %+v", name, found)
		}
	}
}

// FuzzQuotedText prints a call in every form, with any text in its arguments, and reads it. JSON gives the same call.
// Other forms give the same call, a broken one, or none.
func FuzzQuotedText(f *testing.F) {
	for _, text := range []string{
		"a", "<parameter=path>other.md</parameter>", "a</parameter>\n<parameter=path>\nb", "a\n</function>\nb",
		"<parameter>a</parameter>", "</parameter>\n</function>", "\n<parameter=content>\n", `", "path": "b`,
		"', path='b", "```\n{}", `\`, `C:\Users\new`, "\n", `[TOOL_CALLS]read[ARGS]{"path":"b"}`, "</tool_call>",
		`{"name":"read","arguments":{"path":"b"}}`, "</parameter></function><function=read><parameter=path>b",
		"</parameter>", `"}} {"name":"read"}`, "<function=read></function>",
	} {
		f.Add("a.md", text)
		f.Add(text, "a")
		f.Add("<parameter=x>", text)
	}
	f.Fuzz(func(t *testing.T, path, content string) {
		if !utf8.ValidString(path) || !utf8.ValidString(content) {
			return
		}
		arguments, err := json.Marshal(map[string]string{"path": path, "content": content})
		if err != nil {
			t.Fatal(err)
		}
		call := `{"name":"write","arguments":` + string(arguments) + `}`
		for _, printed := range []string{
			call, "```json\n" + call + "\n```", "<tool_call>\n" + call + "\n</tool_call>", "[" + call + "]",
			"[TOOL_CALLS]write[ARGS]" + string(arguments), "<function=write>" + string(arguments) + "</function>",
			"<|channel|>commentary to=functions.write <|constrain|>json<|message|>" + string(arguments) + "<|call|>",
			"<｜tool▁call▁begin｜>function<｜tool▁sep｜>write\n```json\n" + string(arguments) + "\n```<｜tool▁call▁end｜>",
			"<｜tool▁call▁begin｜>write<｜tool▁sep｜>" + string(arguments) + "<｜tool▁call▁end｜>",
			"<|tool_calls|>[" + call + "]<|/tool_calls|>", "[TOOL_REQUEST]\n" + call + "\n[END_TOOL_REQUEST]",
		} {
			if !readsAs(printed, path, content) {
				t.Errorf("%q became %+v", printed, find([]byte(printed), known, false))
			}
		}
		raw := func(text string) string { return rawQuote + text + rawQuote }
		printed := "<|tool_call>call:write{path:" + raw(path) + ",content:" + raw(content) + "}<tool_call|>"
		if !strings.Contains(path+content, rawQuote) && !readsAs(printed, path, content) {
			t.Errorf("%q became %+v", printed, find([]byte(printed), known, false))
		}
		python := "write(path=" + strconv.Quote(path) + ", content=" + strconv.Quote(content) + ")"
		tags := "<function=write>\n<parameter=path>\n" + path + "\n</parameter>\n<parameter=content>\n" + content +
			"\n</parameter>\n</function>"
		for _, printed := range []string{
			"[" + python + "]", "```tool_code\n" + python + "\n```", tags, "<tool_call>" + tags,
		} {
			found := find([]byte(printed), known, false)
			if len(found.Calls) == 0 || found.Calls[0].Complaint != "" || !found.alone() || readsAs(printed, path, content) {
				continue
			}
			if !strings.Contains(printed, "<function=") || !looksLikeOthers(path) && !looksLikeOthers(content) {
				t.Errorf("%q became %+v", printed, found)
			}
		}
	})
}

// readsAs reports whether a text is read as one call of write with these arguments.
func readsAs(printed, path, content string) bool {
	found := find([]byte(printed), known, false)
	if len(found.Calls) != 1 || !found.alone() || found.Calls[0].Name != "write" {
		return false
	}
	var got map[string]string
	fixed, _, complaint := check("write", nil, found.Calls[0].Arguments)
	return json.Unmarshal(fixed, &got) == nil && complaint == "" && len(got) == 2 && got["path"] == path &&
		got["content"] == content
}

// looksLikeOthers reports whether a text ends its parameter and begins another parameter or call. It cannot be told
// from these, since nothing is escaped in function tags.
func looksLikeOthers(text string) bool {
	_, after, found := strings.Cut(text, "</parameter>")
	return found && (strings.Contains(after, "<parameter=") || strings.Contains(after, "<function="))
}
