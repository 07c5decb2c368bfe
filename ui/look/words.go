package look

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Described joins a title and a description.
func Described(title, description string) string {
	if title == "" || description == "" {
		return title + description
	}
	return title + ": " + description
}

// Sentence returns words with a capital letter and a full stop.
func Sentence(words string) string {
	if first, size := utf8.DecodeRuneInString(words); size > 0 {
		words = string(unicode.ToUpper(first)) + words[size:]
	}
	return strings.TrimSuffix(words, ".") + "."
}

// Thousands formats 12345 as "12,345".
func Thousands(n int) string {
	s := fmt.Sprint(n)
	for i := len(s) - 3; i > 0; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return s
}

// Indented indents JSON. It returns JSON that is too deep unchanged, and "" for invalid JSON. ok reports whether the
// result is indented.
func Indented(raw json.RawMessage) (text string, ok bool) {
	var b bytes.Buffer
	switch {
	case tooDeep(raw):
		return string(raw), false
	case json.Indent(&b, raw, "", "  ") != nil:
		return "", false
	}
	return b.String(), true
}

// tooDeep reports whether JSON is so deep that indentation would make it far larger.
func tooDeep(raw json.RawMessage) bool {
	const most = 100
	depth, quoted := 0, false
	for i := 0; i < len(raw); i++ {
		switch c := raw[i]; {
		case quoted && c == '\\':
			i++
		case c == '"':
			quoted = !quoted
		case quoted:
		case c == '{', c == '[':
			if depth++; depth > most {
				return true
			}
		case c == '}', c == ']':
			depth--
		}
	}
	return false
}
