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
			escaped, _ := json.Marshal(value) // strings always can
			all = append(all, value, string(bytes.TrimSuffix(bytes.TrimPrefix(escaped, []byte(`"`)), []byte(`"`))))
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

// JSON leaves a value alone that would not be JSON any more.
func (h Hider) JSON(raw json.RawMessage) json.RawMessage {
	if h.None() {
		return raw
	}
	if hidden := h.Text(string(raw)); json.Valid([]byte(hidden)) {
		return json.RawMessage(hidden)
	}
	return raw
}

// Error leaves an error as it is unless there is something to hide in it: then only its text is left.
func (h Hider) Error(err error) error {
	if err == nil {
		return nil
	}
	if hidden := h.Text(err.Error()); hidden != err.Error() {
		return errors.New(hidden)
	}
	return err
}

// LongestFirst sorts secrets so that one that begins like another is masked as a whole, and drops those that are there twice.
func LongestFirst(values []string) []string {
	slices.SortFunc(values, func(a, b string) int { return cmp.Or(len(b)-len(a), strings.Compare(a, b)) })
	return slices.Compact(values)
}
