package repair

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"reflect"
	"strings"
	"testing"
)

func known(name string) bool { return name == "read" || name == "write" || name == "fs.read" }

// through returns the text that passes a gate, and the calls or the rest.
func through(pieces ...string) (passed string, calls []textCall, rest string) {
	passed, found, rest := foundIn(pieces...)
	if len(found.Calls) == 0 || !found.alone() {
		return passed, nil, rest
	}
	return passed, found.Calls, ""
}

func foundIn(pieces ...string) (passed string, found textCalls, rest string) {
	gate := &gate{known: known}
	for _, piece := range pieces {
		passed += gate.next(piece)
	}
	found, rest = gate.end(false)
	return passed, found, rest
}

func written(calls []textCall) string {
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
		{"function", `{"type":"function","function":{"name":"read","arguments":{"path":"a"}}}`, read},
		{"tool_calls", `{"tool_calls":[{"id":"1","function":{"name":"read","arguments":{"path":"a"}}}]}`, read},
		{"react", `{"action":"read","action_input":{"path":"a"}}`, read},
		{"list", `[{"name":"read","arguments":{"path":"a"}},{"name":"write"}]`, read + "; write {}"},
		{"one after the other", `{"name":"write"}` + "\n" + `{"name":"read"}; {"name":"read"}`,
			"write {}; read {}; read {}"},
		{"fence", "```\n" + `{"name":"read","arguments":{"path":"a"}}` + "\n```", read},
		{"json fence", "```json\n" + `{"name":"read","arguments":{"path":"a"}}` + "\n```\n", read},
		{"fence unclosed", "```tool_call\n" + `{"name":"read","arguments":{"path":"a"}}`, read},
		{"tool_code", "```tool_code\nread(path='a')\n```", read},
		{"hermes", "<tool_call>\n" + `{"name":"read","arguments":{"path":"a"}}` + "\n</tool_call>\n<tool_call>" +
			`{"name":"write"}`, read + "; write {}"},
		{"qwen3-coder", "<tool_call>\n<function=read>\n<parameter=path>\na\n</parameter>\n</function>\n</tool_call>", read},
		{"qwen3-coder without parameters", "<function=read></function>", `read {}`},
		{"function with json", `<function=read>{"path":"a"}</function>`, read},
		{"function_call", `<function_call>{"name":"read","arguments":{"path":"a"}}</function_call>`, read},
		{"tool_calls tag", `<tool_calls>[{"name":"read","arguments":{"path":"a"}}]</tool_calls>`, read},
		{"mistral", `[TOOL_CALLS] [{"name":"read","arguments":{"path":"a"}}]`, read},
		{"mistral small", `[TOOL_CALLS]read[ARGS]{"path":"a"}`, read},
		{"llama 3", `<|python_tag|>{"name":"read","parameters":{"path":"a"}}`, read},
		{"llama 3 python", `<|python_tag|>read.call(path="a")`, read},
		{"llama 4", `[read(path="a"), fs.read(n=3, deep=True, l=['x', None])]`,
			read + `; fs.read {"n":3,"deep":true,"l":["x",null]}`},
		{"phi", `functools[{"name":"read","arguments":{"path":"a"}}]`, read},
		{"an end of Mistral", `{"name":"read","arguments":{"path":"a"}}</s>`, read},
		{"an end of Llama", `{"name":"read","arguments":{"path":"a"}}<|end_of_text|>`, read},
		{"an end of Qwen", "<tool_call>" + `{"name":"read","arguments":{"path":"a"}}` + "</tool_call><|endoftext|>", read},
		{"an end of Phi", `functools[{"name":"read","arguments":{"path":"a"}}]<|end|>`, read},
		{"an end of Gemma", "```tool_code\nread(path='a')\n```<end_of_turn>\n", read},
		{"printed by Gemma", "```tool_code\nprint(read(path='a'))\n```", read},
		{"printed with spaces", "```tool_code\nprint( read(path='a') )\n```", read},
		{"printed twice", "```tool_code\nprint(read(path='a'))\nprint(write())\n```", read + "; write {}"},
		{"granite", `<|tool_call|>[{"name":"read","arguments":{"path":"a"}}]`, read},
		{"brackets missing", `{"name":"read","arguments":{"path":"a"}`, read},
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

func TestTextPasses(t *testing.T) {
	tests := []struct {
		name, in string
		held     string // the part after which the gate must open
	}{
		{"prose", "Hello {world}", "H"},
		{"white space", " \n", " \n"},
		{"data", `{"city": "Paris", "name": "read"}`, `{"city"`},
		{"a person", `{"name": "Anna", "age": 3}`, `{"name": "Anna"`},
		{"an unknown tool", `<function=delete>{"path":"a"}</function>`, `<function=delete>`},
		{"prose behind", `{"name":"read","arguments":{}} is how to call it`, ""},
		{"prose before", `textCall: {"name":"read","arguments":{}}`, `C`},
		{"a tool as it is defined", `{"name":"read","description":"Reads.","parameters":{"type":"object"}}`, ""},
		{"a list of numbers", "[1, 2]", "[1"},
		{"a link", "[here](https://example.com)", "[here]"},
		{"a list of words", `["read"]`, `["`},
		{"python", "```python\nread(path='a')\n```", "```python\nread("},
		{"printed Python", "```python\nprint(read(path='a'))\n```", "```python\nprint("},
		{"printed words", "```tool_code\nprint('a')\n```", "```tool_code\nprint('"},
		{"printed calls", "```tool_code\nprint(read(path='a'), read(path='b'))\n```", ""},
		{"a printed call unclosed", "```tool_code\nprint(read(path='a')\n```", ""},
		{"a printed result", "```tool_code\nprint(read(path='a').lines)\n```", ""},
		{"a fence of data", "```json\n{\"a\": 1}\n```", "```json\n{\"a\":"},
		{"a fence of prose", "```\nread it\n```", "```\nread "},
		{"html", "<div>", "<div>"},
		{"a tag alone", "<tool_call>", ""},
		{"cut off in a string", `{"name":"write","arguments":{"text":"abc`, ""},
		{"cut off in a parameter", "<function=write>\n<parameter=text>\nabc", ""},
		{"cut off in a number", `{"name":"write","arguments":{"n":12`, ""},
		{"one of them unknown", `[{"name":"read"},{"name":"delete"}]`, ""},
		{"a word alone", "functools", ""},
		{"a call with words in it", `[read(path=a)]`, ""},
		{"with an answer", `{"content":"Here you go.","tool_calls":[{"function":{"name":"read"}}]}`, ""},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			for name, pieces := range map[string][]string{"whole": {test.in}, "bytes": strings.Split(test.in, "")} {
				passed, calls, rest := through(pieces...)
				if len(calls) > 0 || passed+rest != test.in {
					t.Errorf("%s: %q, passed %q, rest %q", name, written(calls), passed, rest)
				}
			}
			gate := &gate{known: known}
			if passed := gate.next(test.held); test.held != "" && strings.TrimSpace(test.held) != "" && passed != test.held {
				t.Errorf("%q is held back still", test.held)
			}
		})
	}
}

// TestTextAfterJSONPasses checks that an answer that begins like a call is not held back until its end.
func TestTextAfterJSONPasses(t *testing.T) {
	words := strings.Repeat("This is what it means. ", 200)
	for name, begin := range map[string]string{
		"a schema":           `{"type": "object", "properties": {"a": {"type": "string"}}}`,
		"a list":             `[{"id": 1, "city": "Paris"}, {"id": 2, "city": "Rome"}]`,
		"a fence":            "```json\n" + `{"id": 1, "city": "Paris"}` + "\n```\n",
		"a call as it looks": `{"name":"read","arguments":{"path":"a"}}` + "\n",
		"a long list":        "[" + strings.Repeat(`{"id": 1, "city": "Paris"}, `, 100) + `{"id": 2}]`,
		"a tag":              "<tool_call> ",
	} {
		for _, longest := range []int{1, 30, 1000} {
			gate, passed, late := &gate{known: known}, 0, 0
			message := begin + words
			for rest := message; rest != ""; {
				n := min(longest, len(rest))
				passed += len(gate.next(rest[:n]))
				rest = rest[n:]
				late = max(late, len(message)-len(rest)-passed)
			}
			if most := 2*len(begin) + gateHead; late > most {
				t.Errorf("%s, in pieces of %d: %d bytes were held back", name, longest, late)
			}
		}
	}
}

func TestGateLimit(t *testing.T) {
	message := `{"name":"write","arguments":{"text":"` + strings.Repeat("x", 70<<10) + `"}}`
	for _, longest := range []int{1 << 20, 1000} {
		passed, calls, rest := through(cut(message, rand.New(rand.NewPCG(1, 1)), longest)...)
		if len(calls) > 0 || passed != message || rest != "" {
			t.Errorf("in pieces of %d: %d calls, %d bytes passed, %d left", longest, len(calls), len(passed), len(rest))
		}
	}
}

// FuzzGate checks that the result does not depend on the pieces, and is calls of known tools or the unchanged message.
func FuzzGate(f *testing.F) {
	for _, seed := range []string{
		`{"name":"read","arguments":{"path":"a"}}`, `[TOOL_CALLS]read[ARGS]{"path":"a"}`, `<|python_tag|>read.call(path="a")`,
		"<tool_call>\n<function=read>\n<parameter=path>\na\n</parameter>\n</function>\n</tool_call>",
		`[read(path="a", l=[1, {'a': (2,)}])]`, "```tool_code\nread(path='a')\n```", `functools[{"name":"read"}]`,
		`{'name':'read','arguments':"{a:b}"}`, `{"tool_calls":[{"function":{"name":"read"}}]}`,
		"<function=read>\n</function>\n", `{"name":"read"};{"name":"write"}]`, "read(path='a')\nread",
		"Sure, I will look.\n```json\n" + `{"name":"read","arguments":{"path":"a"}}` + "\n```\nPlease wait.",
		"Let me see: <tool_call>" + `{"name":"read","arguments":{}}` + "</tool_call>[1", "I [{<read(`a`)>}]", "Hello",
		" \n", "```", `[/TOOL_CALLS]`, "<function=read>\n<parameter=a>\n</function>\n</parameter>",
	} {
		f.Add(seed, uint64(1))
	}
	f.Fuzz(func(t *testing.T, message string, seed uint64) {
		passed, calls, rest := through(message)
		checkPassed(t, message, passed, calls, rest)
		_, found, _ := foundIn(message)
		if !strings.HasPrefix(message, found.Before) || !strings.HasSuffix(message, found.After) ||
			len(found.Before)+len(found.After) > len(message) {
			t.Errorf("%q: the words around the calls are %q and %q", message, found.Before, found.After)
		}
		for _, call := range found.Calls {
			if !known(call.Name) || !json.Valid(call.Arguments) || call.Text == "" {
				t.Errorf("%q has the call %q %q as %q", message, call.Name, call.Arguments, call.Text)
			}
		}
		random := rand.New(rand.NewPCG(seed, 1))
		for _, longest := range []int{1, 3, 20} {
			pieces := cut(message, random, longest)
			passedNow, callsNow, restNow := through(pieces...)
			checkPassed(t, message, passedNow, callsNow, restNow)
			if _, foundNow, _ := foundIn(pieces...); !reflect.DeepEqual(foundNow, found) {
				t.Errorf("in pieces %q: %+v; whole: %+v", pieces, foundNow, found)
			}
			if written(callsNow) != written(calls) || passedNow+restNow != passed+rest {
				t.Errorf("in pieces %q: %s, %q + %q; whole: %s, %q + %q",
					pieces, written(callsNow), passedNow, restNow, written(calls), passed, rest)
			}
		}
	})
}

func checkPassed(t *testing.T, message, passed string, calls []textCall, rest string) {
	t.Helper()
	if len(calls) == 0 && passed+rest != message {
		t.Errorf("%q came out as %q + %q", message, passed, rest)
	}
	// Text that passed before it turned out to be a call will be withdrawn.
	if len(calls) > 0 && (rest != "" || !strings.HasPrefix(message, passed)) {
		t.Errorf("%q: text %q + %q beside calls %s", message, passed, rest, written(calls))
	}
	for _, call := range calls {
		if !known(call.Name) || !json.Valid(call.Arguments) {
			t.Errorf("%q has the call %q %q", message, call.Name, call.Arguments)
		}
	}
}
