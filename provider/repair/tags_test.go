package repair

import (
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/aloudchat/aloud/internal/tabletest"
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
	for _, row := range tabletest.Read(t, "tags.txt") {
		in, wantText, wantThinking, wantStray := row[1], row[2], row[3], row[4] == "stray"
		t.Run(row[0], func(t *testing.T) {
			for name, pieces := range map[string][]string{"whole": {in}, "bytes": strings.Split(in, "")} {
				text, thinking, stray := tagged(t, pieces...)
				if text != wantText || thinking != wantThinking || stray != wantStray {
					t.Errorf("%s: text %q, thinking %q, stray %v; want %q, %q, %v",
						name, text, thinking, stray, wantText, wantThinking, wantStray)
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
		"<|channel|>analysis<|message|>a<|end|><|start|>assistant<|channel|>final<|message|>b<|return|>", "a <|end|>",
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
		hasTag := strings.Contains(lower, "think") || strings.Contains(lower, "reasoning") || strings.Contains(lower, "<|")
		if !hasTag && text != message {
			t.Errorf("%q came out as %q", message, text)
		}
		if len(text)+len(thinking) > len(message) {
			t.Errorf("%q became more: %q and %q", message, text, thinking)
		}
	})
}
