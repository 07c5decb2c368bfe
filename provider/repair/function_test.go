package repair

import (
	"strings"
	"testing"
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

func TestLeftovers(t *testing.T) {
	for name, message := range map[string]string{
		"text in a function":             "<function=read>\n<parameter=path>a</parameter>\nb\n</function>",
		"an end in a function":           "<function=read>\n<parameter=path>a</parameter></parameter>\n</function>",
		"an end after a function":        "<function=read>\n<parameter=path>a</parameter>\n</function>\n</parameter>",
		"a parameter again":              "<function=read>\n<parameter=path>a</parameter><parameter=path>b</parameter></function>",
		"a parameter without end":        "<function=read>\n<parameter=path>\na\n<parameter=b>\nc\n</tool_call>",
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
