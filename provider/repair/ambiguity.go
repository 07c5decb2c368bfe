package repair

import (
	"bytes"
	"encoding/json"
	"strconv"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/aloudchat/aloud/internal/jsonschema"
)

// ambiguity returns why programs may read valid JSON differently, or "": an object has a key twice, of which some take
// the first and some the last, or a string has half of a surrogate pair, which is no character.
func ambiguity(raw []byte) string {
	if !wholeRunes(raw) {
		return `A string in the arguments has half of a character, as in "\ud83d".`
	}
	if key, found := repeatedKey(json.NewDecoder(bytes.NewReader(raw))); found {
		return "The key " + jsonschema.Quoted(key, 60) + " stands twice in an object of the arguments."
	}
	return ""
}

// repeatedKey returns the first key that an object in the next value has twice.
func repeatedKey(d *json.Decoder) (key string, found bool) {
	begin, err := d.Token()
	if _, nests := begin.(json.Delim); err != nil || !nests {
		return "", false
	}
	keys := map[string]bool{}
	for d.More() {
		if begin == json.Delim('{') {
			token, _ := d.Token() // a key, since the JSON is valid
			key, _ := token.(string)
			if keys[key] {
				return key, true
			}
			keys[key] = true
		}
		if key, found := repeatedKey(d); found {
			return key, true
		}
	}
	_, _ = d.Token() // the closing bracket
	return "", false
}

// wholeRunes reports whether the \u escapes in JSON are characters, without half of a surrogate pair.
func wholeRunes(raw []byte) bool {
	for at := 0; at < len(raw); at++ {
		if raw[at] != '\\' {
			continue
		}
		if first := escapedAt(raw, at); utf16.IsSurrogate(first) {
			if utf16.DecodeRune(first, escapedAt(raw, at+6)) == utf8.RuneError {
				return false
			}
			at += 10
		}
		at++
	}
	return true
}

// escapedAt returns the value of the \uXXXX at an offset, or 0.
func escapedAt(raw []byte, at int) rune {
	if at+6 > len(raw) || raw[at] != '\\' || raw[at+1] != 'u' {
		return 0
	}
	n, _ := strconv.ParseUint(string(raw[at+2:at+6]), 16, 16) // 0 if invalid
	return rune(n)
}
