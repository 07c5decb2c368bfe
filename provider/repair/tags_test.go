package repair

import (
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/aloudchat/aloud/provider"
)

// tagged returns the parts of a message that comes in pieces.
func tagged(t testing.TB, pieces ...string) (text, thinking string, stray bool) {
	var tags tags
	again := false // the withdrawn text comes again
	emit := func(c provider.Chunk) {
		switch {
		case c.Withdraw != 0:
			again = true
		case again:
			again = false
		case c.Text+c.Thinking == "":
			t.Errorf("an empty piece of %q was emitted", pieces)
		default:
			text, thinking = text+c.Text, thinking+c.Thinking
		}
	}
	in := 0
	for _, piece := range pieces {
		tags.next(piece, emit)
		in += len(piece)
	}
	tags.flush(emit)
	return text, thinking, tags.stray
}

// cut cuts a text into pieces.
func cut(text string, random *rand.Rand, longest int) []string {
	var pieces []string
	for text != "" {
		n := min(1+random.IntN(longest), len(text))
		pieces = append(pieces, text[:n])
		text = text[n:]
	}
	return pieces
}

func TestTags(t *testing.T) {
	tests := []struct {
		name, in, text, thinking string
		stray                    bool
	}{
		{name: "plain", in: "a < b and <b>c</b>", text: "a < b and <b>c</b>"},
		{name: "at the beginning", in: "<think>\nhm\n</think>\n\nYes.", thinking: "hm\n", text: "Yes."},
		{name: "after white space, in capitals", in: "\n <THINKING>hm</Thinking>Yes.", thinking: "hm", text: "\n Yes."},
		{name: "a later one", in: "So.\n<reasoning>hm\n</reasoning>\nYes.", text: "So.\n<reasoning>hm\n</reasoning>\nYes."},
		{name: "two in a row", in: "<think>a</think>\n<think>b</think>Yes.", thinking: "ab", text: "Yes."},
		{name: "talked about", in: "Tag <think> opens, </think> closes.", text: "Tag <think> opens, </think> closes."},
		{name: "in code", in: "Write:\n```\n<think>\na\n</think>\n```\n", text: "Write:\n```\n<think>\na\n</think>\n```\n"},
		{name: "closed in code", in: "So:\n  ```text\na\n</think>\n```\n", text: "So:\n  ```text\na\n</think>\n```\n"},
		{name: "stray behind code", in: "hm\n```\na\n```\n</think>\nYes.", text: "hm\n```\na\n```\nYes.", stray: true},
		{name: "unclosed", in: "<think>hm <b", thinking: "hm <b"},
		{name: "unclosed tag", in: "<think", text: "<think"},
		{name: "another closing tag inside", in: "<think>a </thinking> b</think>c", thinking: "a </thinking> b", text: "c"},
		{name: "opened twice, closed once", in: "<think>\n<think>\na</think>b", thinking: "a", text: "b"},
		{name: "opened twice, closed twice", in: "<think>\n<think>a</think>\n</think>b", thinking: "a", text: "b"},
		{name: "empty", in: "<think>\n\n</think>\n\nYes.", text: "Yes."},
		{name: "stray on a line of its own", in: "hm\n</think>\n\nYes.", text: "hm\nYes.", stray: true},
		{name: "stray at the end of a line", in: "hm</think>\nYes.", text: "hmYes.", stray: true},
		{name: "stray at the end", in: "hm</think>", text: "hm", stray: true},
		{name: "stray at once", in: "</think>Yes.", text: "Yes.", stray: true},
		{name: "closed twice", in: "<think>a</think>It is </think>\n", thinking: "a", text: "It is </think>\n"},
		{name: "unknown", in: "<thought>a</thought>", text: "<thought>a</thought>"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			for name, pieces := range map[string][]string{"whole": {test.in}, "bytes": strings.Split(test.in, "")} {
				text, thinking, stray := tagged(t, pieces...)
				if text != test.text || thinking != test.thinking || stray != test.stray {
					t.Errorf("%s: text %q, thinking %q, stray %v; want %q, %q, %v",
						name, text, thinking, stray, test.text, test.thinking, test.stray)
				}
			}
		})
	}
}

func TestPlainTextDoesNotAllocate(t *testing.T) {
	var tags tags
	emit := func(provider.Chunk) {}
	gate := &gate{known: known}
	gate.next("So")
	allocs := testing.AllocsPerRun(100, func() {
		tags.next(" a < b,\nand `c`", emit)
		gate.next(" a < b,\nand `c`")
	})
	if allocs > 0 {
		t.Errorf("%v allocations", allocs)
	}
}

// FuzzTags checks that the result does not depend on the pieces, and that text without tags does not change.
func FuzzTags(f *testing.F) {
	for _, seed := range []string{
		"<think>a</think>b", "a\n<think>b", "</think>", "```\n<think>\n```", "<th<think>",
		"<THINKING>\n<thinking>a</thinking>b</thinking>c",
		"a</reasoning>\nb<think>", " \n<reasoning>x", "``` ``<think>\n```\n</think>",
	} {
		f.Add(seed, uint64(1))
	}
	f.Fuzz(func(t *testing.T, message string, seed uint64) {
		text, thinking, stray := tagged(t, message)
		random := rand.New(rand.NewPCG(seed, 1))
		for _, longest := range []int{1, 3, 20} {
			pieces := cut(message, random, longest)
			if a, b, c := tagged(t, pieces...); a != text || b != thinking || c != stray {
				t.Errorf("in pieces %q: %q, %q, %v; whole: %q, %q, %v", pieces, a, b, c, text, thinking, stray)
			}
		}
		lower := strings.ToLower(message)
		if !strings.Contains(lower, "think") && !strings.Contains(lower, "reasoning") && text != message {
			t.Errorf("%q came out as %q", message, text)
		}
		if len(text)+len(thinking) > len(message) {
			t.Errorf("%q became more: %q and %q", message, text, thinking)
		}
	})
}
