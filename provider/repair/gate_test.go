package repair

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"reflect"
	"strings"
	"testing"

	"github.com/aloudchat/aloud/internal/tabletest"
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
	for _, row := range tabletest.Read(t, "calls.txt") {
		name, in, want := row[0], row[1], row[2]
		t.Run(name, func(t *testing.T) {
			for how, pieces := range map[string][]string{"whole": {in}, "bytes": strings.Split(in, "")} {
				passed, calls, rest := through(pieces...)
				if written(calls) != want || strings.TrimSpace(passed) != "" || rest != "" {
					t.Errorf("%s: %q, passed %q, rest %q; want %q", how, written(calls), passed, rest, want)
				}
			}
		})
	}
}

func TestTextPasses(t *testing.T) {
	for _, row := range tabletest.Read(t, "texts.txt") {
		name, in, held := row[0], row[1], row[2]
		t.Run(name, func(t *testing.T) {
			for how, pieces := range map[string][]string{"whole": {in}, "bytes": strings.Split(in, "")} {
				passed, calls, rest := through(pieces...)
				if len(calls) > 0 || passed+rest != in {
					t.Errorf("%s: %q, passed %q, rest %q", how, written(calls), passed, rest)
				}
			}
			gate := &gate{known: known}
			if passed := gate.next(held); held != "" && strings.TrimSpace(held) != "" && passed != held {
				t.Errorf("%q is held back still", held)
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
		"a tag and a name":   "<tool_code>read ",
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
		`<|channel|>commentary to=functions.read <|constrain|>json<|message|>{"path":"a"}<|call|>`,
		"<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>function<｜tool▁sep｜>read\n```json\n{}\n```<｜tool▁call▁end｜>",
		`<|tool_call>call:read{path:<|"|>a<|"|>,n:[1]}<tool_call|>`,
		`<|tool_call_start|>[read(path="a")]<|tool_call_end|>`, `[TOOL_REQUEST]{"name":"read"}[END_TOOL_REQUEST]`,
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
