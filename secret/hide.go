package secret

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"slices"
	"strings"
)

// Hider hides values that are known to be secret, as they are and as they stand in JSON. The zero Hider hides nothing. It may be used by several
// goroutines.
type Hider struct {
	replacer *strings.Replacer // nil: there are none
	longest  int               // bytes of one of them
	now      func() []string   // values that change, as they are now; nil: there are none
}

// Hide returns a Hider of values that stay, and of those that now returns when it is asked, such as the tokens of a login; it may be nil.
func Hide(values []string, now func() []string) Hider {
	h := Hider{now: now}
	var pairs []string
	for _, form := range forms(values) {
		pairs = append(pairs, form, Mark)
		h.longest = max(h.longest, len(form))
	}
	if pairs != nil {
		h.replacer = strings.NewReplacer(pairs...)
	}
	return h
}

// forms are values as they are and as they stand in JSON, the longest first.
func forms(values []string) (all []string) {
	for _, value := range values {
		if value != "" {
			all = append(all, value, strings.TrimSuffix(strings.TrimPrefix(string(quote(value)), `"`), `"`))
		}
	}
	return LongestFirst(all)
}

// None tells that there is nothing to hide.
func (h Hider) None() bool { return h.replacer == nil && h.now == nil }

// Longest is how many bytes a secret has at most.
func (h Hider) Longest() int {
	longest := h.longest
	if h.now != nil {
		for _, form := range forms(h.now()) {
			longest = max(longest, len(form))
		}
	}
	return longest
}

// Text returns a text without the secrets.
func (h Hider) Text(text string) string {
	if h.replacer != nil {
		text = h.replacer.Replace(text)
	}
	if h.now != nil {
		for _, form := range forms(h.now()) {
			text = strings.ReplaceAll(text, form, Mark)
		}
	}
	return text
}

// Beginning returns the beginning of a text, of about so many bytes, without the secrets. It looks little further, and leaves out what may be the first
// half of one. Where something is missing stands "…".
func (h Hider) Beginning(text string, bytes int) string {
	longest := h.Longest()
	if len(text) <= bytes+longest {
		return h.Text(text)
	}
	hidden := h.Text(text[:bytes+longest])
	return strings.ToValidUTF8(hidden[:max(0, len(hidden)-longest)], "") + "…"
}

// Texts returns all of them without the secrets. It leaves what it was given as it is.
func (h Hider) Texts(texts []string) []string {
	if h.None() {
		return texts
	}
	hidden := make([]string, len(texts))
	for i, text := range texts {
		hidden[i] = h.Text(text)
	}
	return hidden
}

// JSON returns a value without the secrets, in strings and names however they are written. A number with one in it becomes a string, and so does what
// is no JSON and has one. It leaves what it was given as it is.
func (h Hider) JSON(raw json.RawMessage) json.RawMessage {
	switch {
	case h.None() || len(raw) == 0:
		return raw
	case h.now != nil: // which is asked once, not for every string
		stay := Hider{replacer: h.replacer}
		return Hide(h.now(), nil).JSON(stay.JSON(raw))
	case !json.Valid(raw):
		if text := h.Text(string(raw)); text != string(raw) {
			return quote(text)
		}
		return raw
	}
	var hidden []byte
	told := 0 // bytes of raw
	for at := 0; at < len(raw); {
		written := literal(raw[at:])
		if meant, ok := meaning(written); ok {
			if text := h.Text(meant); text != meant {
				hidden = append(append(hidden, raw[told:at]...), quote(text)...)
				told = at + len(written)
			}
		}
		at += len(written)
	}
	return append(hidden, raw[told:]...)
}

// literal is the string or the number that valid JSON begins with, or a byte of something else.
func literal(raw []byte) []byte {
	const digits = "0123456789+-.eE"
	switch {
	case raw[0] == '"':
		end := 1
		for ; raw[end] != '"'; end++ {
			if raw[end] == '\\' {
				end++
			}
		}
		return raw[:end+1]
	case raw[0] == '-' || raw[0] >= '0' && raw[0] <= '9':
		return raw[:len(raw)-len(bytes.TrimLeft(raw, digits))]
	}
	return raw[:1]
}

// meaning is the text of a string or a number; ok is false for what is neither.
func meaning(literal []byte) (text string, ok bool) {
	switch c := literal[0]; {
	case c == '"' && bytes.IndexByte(literal, '\\') < 0:
		return string(literal[1 : len(literal)-1]), true
	case c == '"':
		return text, json.Unmarshal(literal, &text) == nil
	}
	return string(literal), literal[0] == '-' || literal[0] >= '0' && literal[0] <= '9'
}

func quote(text string) []byte {
	quoted, _ := json.Marshal(text) // strings always can
	return quoted
}

// Error leaves an error as it is unless there is something to hide in it: then its text is another one, and
// errors.Is still knows it.
func (h Hider) Error(err error) error {
	if err == nil {
		return nil
	}
	if hidden := h.Text(err.Error()); hidden != err.Error() {
		return &hiddenError{hidden, err}
	}
	return err
}

// hiddenError is an error whose text is not to be told. It has no Unwrap, which would hand that out.
type hiddenError struct {
	text  string
	cause error
}

func (e *hiddenError) Error() string { return e.text }

// Is is asked by errors.Is.
func (e *hiddenError) Is(target error) bool { return errors.Is(e.cause, target) }

// LongestFirst sorts secrets so that one that begins like another is masked as a whole, and drops those that are there twice.
func LongestFirst(values []string) []string {
	slices.SortFunc(values, func(a, b string) int { return cmp.Or(len(b)-len(a), strings.Compare(a, b)) })
	return slices.Compact(values)
}
