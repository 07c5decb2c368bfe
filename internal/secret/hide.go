package secret

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"slices"
	"strings"
)

// Hider hides known secrets, plain and escaped in JSON. The zero Hider hides nothing. A Hider is safe for concurrent
// use.
type Hider struct {
	values   []string          // fixed secrets
	replacer *strings.Replacer // for values, nil if there are none
	longest  int               // length of the longest value
	now      func() []string   // returns more secrets, may be nil
}

// Hide returns a Hider for values and for the secrets that now returns at each use, such as the tokens of a login.
// now may be nil.
func Hide(values []string, now func() []string) Hider {
	h := Hider{values: values, now: now}
	var forms, pairs []string
	for _, value := range values {
		if value != "" {
			quoted := string(quote(value))
			forms = append(forms, value, quoted[1:len(quoted)-1])
		}
	}
	for _, form := range LongestFirst(forms) {
		pairs = append(pairs, form, Mark)
		h.longest = max(h.longest, len(form))
	}
	if pairs != nil {
		h.replacer = strings.NewReplacer(pairs...)
	}
	return h
}

// fixed returns a Hider for the secrets of this moment.
func (h Hider) fixed() Hider {
	if h.now == nil {
		return h
	}
	return Hide(slices.Concat(h.values, h.now()), nil)
}

// IsEmpty reports whether there is nothing to hide.
func (h Hider) IsEmpty() bool { return h.replacer == nil && h.now == nil }

// Text returns text with the secrets hidden.
func (h Hider) Text(text string) string {
	if h = h.fixed(); h.replacer != nil {
		return h.replacer.Replace(text)
	}
	return text
}

// Beginning returns about the first bytes of text with the secrets hidden, without an incomplete secret at the end.
// It adds "…" if it truncates text.
func (h Hider) Beginning(text string, bytes int) string {
	h = h.fixed()
	longest := h.longest
	if len(text) <= bytes+longest {
		return h.Text(text)
	}
	hidden := h.Text(text[:bytes+longest])
	return strings.ToValidUTF8(hidden[:max(0, len(hidden)-longest)], "") + "…"
}

// Texts returns the texts with the secrets hidden.
func (h Hider) Texts(texts []string) []string {
	if h.IsEmpty() {
		return texts
	}
	h = h.fixed()
	hidden := make([]string, len(texts))
	for i, text := range texts {
		hidden[i] = h.Text(text)
	}
	return hidden
}

// JSON returns raw with the secrets hidden in strings and names, however they are escaped. A number with a secret
// becomes a string, and so does invalid JSON.
func (h Hider) JSON(raw json.RawMessage) json.RawMessage {
	h = h.fixed() // call now once
	switch {
	case h.IsEmpty() || len(raw) == 0:
		return raw
	case !json.Valid(raw):
		if text := h.Text(string(raw)); text != string(raw) {
			return quote(text)
		}
		return raw
	}
	decoder := json.NewDecoder(bytes.NewReader(raw))
	decoder.UseNumber()
	var hidden []byte
	done, before := 0, 0 // bytes of raw
	for {
		token, err := decoder.Token()
		if err != nil {
			return append(hidden, raw[done:]...)
		}
		end := int(decoder.InputOffset())
		text, start := "", end
		switch token := token.(type) {
		case string:
			text, start = token, before+bytes.IndexByte(raw[before:], '"')
		case json.Number:
			text, start = token.String(), end-len(token)
		}
		if masked := h.Text(text); masked != text {
			hidden = append(append(hidden, raw[done:start]...), quote(masked)...)
			done = end
		}
		before = end
	}
}

func quote(text string) []byte {
	quoted, _ := json.Marshal(text) // strings never fail
	return quoted
}

// Error returns err with the secrets hidden in its text. errors.Is works as with err.
func (h Hider) Error(err error) error {
	if err == nil {
		return nil
	}
	if hidden := h.Text(err.Error()); hidden != err.Error() {
		return &hiddenError{hidden, err}
	}
	return err
}

// hiddenError has no Unwrap, which would expose the original text.
type hiddenError struct {
	text  string
	cause error
}

func (e *hiddenError) Error() string { return e.text }

func (e *hiddenError) Is(target error) bool { return errors.Is(e.cause, target) }

// LongestFirst sorts secrets, so that a secret that contains another one is hidden as a whole. It drops duplicates.
func LongestFirst(values []string) []string {
	slices.SortFunc(values, func(a, b string) int { return cmp.Or(len(b)-len(a), strings.Compare(a, b)) })
	return slices.Compact(values)
}
