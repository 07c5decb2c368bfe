package composer

import (
	"strings"
	"unicode"
)

// byWord moves the cursor by a word, or deletes one, if key does. As in readline, a word has letters and digits only,
// and ctrl+w, which is not here, deletes back to a blank.
func byWord(key string, s state) (next state, ok bool) {
	between := func(r rune) bool { return !inWord(r) }
	start := len(strings.TrimRightFunc(strings.TrimRightFunc(s.before, between), inWord))
	rest := strings.TrimLeftFunc(strings.TrimLeftFunc(s.after, between), inWord)
	switch key {
	case "alt+b", "alt+left", "ctrl+left":
		return state{before: s.before[:start], after: s.before[start:] + s.after}, true
	case "alt+f", "alt+right", "ctrl+right":
		return state{before: s.before + strings.TrimSuffix(s.after, rest), after: rest}, true
	case "alt+backspace", "ctrl+backspace":
		return state{before: s.before[:start], after: s.after}, true
	case "alt+d", "alt+delete", "ctrl+delete":
		return state{before: s.before, after: rest}, true
	}
	return s, false
}

func inWord(r rune) bool { return unicode.In(r, unicode.L, unicode.N, unicode.M) }
