package tinymodel

import (
	"errors"
	"fmt"
	"regexp"
	"strings"
)

// The kinds of tokens in a GGUF file.
const (
	kindNormal  = 1
	kindControl = 3
)

// roles are the control tokens around messages.
var roles = []string{"<|system|>", "<|user|>", "<|assistant|>", "<|tool|>", "<|end|>"}

// A vocabulary has the tokens and the successor of each.
type vocabulary struct {
	texts []string // see stored
	kinds []int32
	ids   map[string]int // index of a text
	next  []int          // -1 if not set yet
	end   int            // the token that ends a reply

	merges []string // merges to tokenize a prompt
}

// newVocabulary returns a vocabulary with a token for every byte, tokens for frequent pieces of prompts, and the
// control tokens.
func newVocabulary() *vocabulary {
	v := &vocabulary{ids: map[string]int{}}
	for b := range 256 {
		v.add(stored(string([]byte{byte(b)})), kindNormal)
	}
	for _, p := range merges(sample, mergeCount) {
		v.merges = append(v.merges, p.left+" "+p.right)
		if text := p.left + p.right; !v.has(text) { // two pairs may have the same text
			v.add(text, kindNormal)
		}
	}
	v.end = v.add("<|eos|>", kindControl)
	for _, role := range roles {
		v.add(role, kindControl)
	}
	return v
}

func (v *vocabulary) add(text string, kind int32) int {
	id := len(v.texts)
	v.texts = append(v.texts, text)
	v.kinds = append(v.kinds, kind)
	v.next = append(v.next, -1)
	v.ids[text] = id
	return id
}

// dropLast removes the last token and returns its text.
func (v *vocabulary) dropLast() string {
	n := len(v.texts) - 1
	text := v.texts[n]
	delete(v.ids, text)
	v.texts, v.kinds, v.next = v.texts[:n], v.kinds[:n], v.next[:n]
	return text
}

func startText(script string, step int, think bool) string {
	if think {
		return fmt.Sprintf("<|%s:%d:think|>", script, step)
	}
	return fmt.Sprintf("<|%s:%d|>", script, step)
}

// start returns the token that starts a step.
func (v *vocabulary) start(script string, step int, think bool) int {
	return v.ids[startText(script, step, think)]
}

// addStep adds a step and its start tokens, with and without thinking.
func (v *vocabulary) addStep(script string, i int, step Step) error {
	plain := v.add(startText(script, i, false), kindControl)
	think := v.add(startText(script, i, true), kindControl)

	reply := []int{v.end}
	if step.Text != "" {
		var err error
		if reply, err = v.chain(step.Text); err != nil {
			return err
		}
		last := reply[len(reply)-1]
		switch {
		case step.Forever:
			v.next[last] = reply[0]
		case step.Stuck:
			v.next[last] = last
		default:
			v.next[last] = v.end
		}
	}
	v.next[plain], v.next[think] = reply[0], reply[0]
	if step.Think == "" {
		return nil
	}

	end := "\n</think>\n\n"
	if step.ThinkForever {
		end = " "
	}
	thought, err := v.chain("<think>\n" + step.Think + end)
	if err != nil {
		return err
	}
	v.next[think] = thought[0]
	v.next[thought[len(thought)-1]] = reply[0]
	if step.ThinkForever {
		v.next[thought[len(thought)-1]] = thought[1] // thought[0] has the tag
	}
	return nil
}

// closeEnds makes the fallback reply the successor of all tokens without one.
func (v *vocabulary) closeEnds(fallback int) {
	first := v.next[fallback]
	for id, next := range v.next {
		if next < 0 {
			v.next[id] = first
		}
	}
	v.next[v.end] = v.end
}

var wordPattern = regexp.MustCompile(`[\r\n]+|[ \t]*[^\s]+|[ \t]+`)

var errNotUnique = errors.New("the text only repeats other replies: add a new word")

// chain adds text as linked tokens. A token can have only one successor, so all of them must be new: a word that is not
// new is joined with the next ones, or at the end of the text with the one before.
func (v *vocabulary) chain(text string) ([]int, error) {
	var ids []int
	for parts := wordPattern.FindAllString(text, -1); len(parts) > 0; {
		word, rest := stored(parts[0]), parts[1:]
		for v.has(word) && len(rest) > 0 {
			word, rest = word+stored(rest[0]), rest[1:]
		}
		for v.has(word) {
			if len(ids) == 0 {
				return nil, errNotUnique
			}
			word = v.dropLast() + word
			ids = ids[:len(ids)-1]
		}
		ids = append(ids, v.add(word, kindNormal))
		parts = rest
	}
	for i, id := range ids[1:] {
		v.next[ids[i]] = id
	}
	return ids, nil
}

func (v *vocabulary) has(text string) bool {
	_, ok := v.ids[text]
	return ok
}

// stored maps every byte to its printable rune in byte-level BPE vocabularies.
func stored(s string) string {
	var b strings.Builder
	for i := range len(s) {
		r := rune(s[i])
		switch {
		case r == 0xad:
			r = 0x143
		case r <= 0x20:
			r += 0x100
		case r >= 0x7f && r <= 0xa0:
			r += 0xa2
		}
		b.WriteRune(r)
	}
	return b.String()
}
