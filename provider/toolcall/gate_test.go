package toolcall_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/aloudchat/aloud/provider/toolcall"
)

func known(name string) bool { return name == "read" || name == "write" || name == "fs.read" }

// through is what a gate makes of a message: what passed, with the calls or the rest.
func through(pieces ...string) (passed string, calls []toolcall.Call, rest string) {
	gate := toolcall.NewGate(known)
	for _, piece := range pieces {
		passed += gate.Next(piece)
	}
	calls, rest = gate.End()
	return passed, calls, rest
}

func written(calls []toolcall.Call) string {
	var out []string
	for _, call := range calls {
		out = append(out, fmt.Sprintf("%s %s", call.Name, call.Arguments))
	}
	return strings.Join(out, "; ")
}

func TestCallsWrittenAsText(t *testing.T) {
	const read = `read {"path":"a"}`
	tests := []struct{ name, in, want string }{
		{"object", `{"name":"read","arguments":{"path":"a"}}`, read},
		{"parameters", " \n" + `{"name": "read", "parameters": {"path":"a"}}` + "\n", read},
		{"arguments first", `{"arguments":{"path":"a"},"name":"read"}`, read},
		{"input", `{"tool":"read","input":{"path":"a"}}`, read},
		{"no arguments", `{"name":"read"}`, `read {}`},
		{"arguments in a string", `{"name":"read","arguments":"{\"path\":\"a\"}"}`, read},
		{"function", `{"type":"function","function":{"name":"read","arguments":{"path":"a"}}}`, read},
		{"tool_calls", `{"tool_calls":[{"id":"1","function":{"name":"read","arguments":{"path":"a"}}}]}`, read},
		{"react", `{"action":"read","action_input":{"path":"a"}}`, read},
		{"list", `[{"name":"read","arguments":{"path":"a"}},{"name":"write"}]`, read + "; write {}"},
		{"one after the other", `{"name":"read","arguments":{"path":"a"}}` + "\n" + `{"name":"write"}; {"name":"read"}`, read + "; write {}; read {}"},
		{"fence", "```\n" + `{"name":"read","arguments":{"path":"a"}}` + "\n```", read},
		{"json fence", "```json\n" + `{"name":"read","arguments":{"path":"a"}}` + "\n```\n", read},
		{"fence unclosed", "```tool_call\n" + `{"name":"read","arguments":{"path":"a"}}`, read},
		{"tool_code", "```tool_code\nread(path='a')\n```", read},
		{"hermes", "<tool_call>\n" + `{"name":"read","arguments":{"path":"a"}}` + "\n</tool_call>\n<tool_call>" + `{"name":"write"}`, read + "; write {}"},
		{"qwen3-coder", "<tool_call>\n<function=read>\n<parameter=path>\na\n</parameter>\n</function>\n</tool_call>", read},
		{"qwen3-coder without ends", "<function=read>\n<parameter=path>\na\n<parameter=b>\nc\n</tool_call>", `read {"path":"a","b":"c"}`},
		{"qwen3-coder without parameters", "<function=read></function>", `read {}`},
		{"function with json", `<function=read>{"path":"a"}</function>`, read},
		{"function_call", `<function_call>{"name":"read","arguments":{"path":"a"}}</function_call>`, read},
		{"tool_calls tag", `<tool_calls>[{"name":"read","arguments":{"path":"a"}}]</tool_calls>`, read},
		{"mistral", `[TOOL_CALLS] [{"name":"read","arguments":{"path":"a"}}]`, read},
		{"mistral small", `[TOOL_CALLS]read[ARGS]{"path":"a"}`, read},
		{"llama 3", `<|python_tag|>{"name":"read","parameters":{"path":"a"}}`, read},
		{"llama 3 python", `<|python_tag|>read.call(path="a")`, read},
		{"llama 4", `[read(path="a"), fs.read(n=3, deep=True, l=['x', None])]`, read + `; fs.read {"n":3,"deep":true,"l":["x",null]}`},
		{"phi", `functools[{"name":"read","arguments":{"path":"a"}}]`, read},
		{"granite", `<|tool_call|>[{"name":"read","arguments":{"path":"a"}}]`, read},
		{"one bracket too many", `{"name":"read","arguments":{"path":"a"}}}`, read},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			for name, pieces := range map[string][]string{"whole": {test.in}, "bytes": strings.Split(test.in, "")} {
				passed, calls, rest := through(pieces...)
				if written(calls) != test.want || strings.TrimSpace(passed) != "" || rest != "" {
					t.Errorf("%s: %q, passed %q, rest %q; want %q", name, written(calls), passed, rest, test.want)
				}
			}
		})
	}
}
