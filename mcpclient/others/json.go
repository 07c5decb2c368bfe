package others

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/tailscale/hujson"
)

// decodeJSON reads an object of JSON. Comments, and commas at the end, are usual there.
func decodeJSON(text []byte) (map[string]any, error) {
	if deep(text, false) {
		return nil, fmt.Errorf("has more than %d levels, which no configuration has", deepest)
	}
	standard, err := hujson.Standardize(bytes.Clone(text))
	if err != nil {
		return nil, fmt.Errorf("%w%s", notValid("JSON", err), reason(err))
	}
	var values map[string]any
	if err := json.Unmarshal(standard, &values); err != nil {
		if wrong, ok := errors.AsType[*json.UnmarshalTypeError](err); ok {
			return nil, fmt.Errorf(`is a JSON %s, and the servers stand in an object: {"mcpServers": {…}}`, wrong.Value)
		}
		return nil, notValid("JSON", err)
	}
	return values, nil
}

// reason says what people mostly do wrong there, in the words of nobody's file.
func reason(err error) string {
	said := err.Error()
	_, literal, _ := strings.Cut(said, "invalid literal: ")
	switch {
	case strings.HasPrefix(literal, `"`) && strings.Contains(literal, `\`):
		return `: in a text a backslash is written twice, "C:\\Tools"`
	case strings.HasPrefix(literal, `"`):
		return ": the text does not end in its line"
	case literal != "":
		return ": a word must stand in double quotes"
	case strings.Contains(said, "unexpected EOF"):
		return ": the file ends before its last bracket"
	case strings.Contains(said, "after object value") || strings.Contains(said, "after array value"):
		return ": before this a comma or a bracket is missing"
	}
	return ""
}

// deep tells whether there are too many levels in a text of JSON with comments, or of TOML. In doubt it says so too early: a string that is
// never closed counts to the end.
func deep(text []byte, inTOML bool) bool {
	level := 0
	for i := 0; i < len(text); i++ {
		switch c := text[i]; {
		case c == '"' || c == '\'' && inTOML:
			i = closing(text, i)
		case c == '#' && inTOML, c == '/' && !inTOML && bytes.HasPrefix(text[i:], []byte("//")):
			if n := bytes.IndexByte(text[i:], '\n'); n >= 0 {
				i += n
			} else {
				i = len(text)
			}
		case c == '/' && !inTOML && bytes.HasPrefix(text[i:], []byte("/*")):
			if n := bytes.Index(text[i+2:], []byte("*/")); n >= 0 {
				i += n + 3
			} else {
				i = len(text)
			}
		case c == '[' || c == '{':
			if level++; level > deepest {
				return true
			}
		case (c == ']' || c == '}') && level > 0:
			level--
		}
	}
	return false
}

// closing is where the string that begins at i ends.
func closing(text []byte, i int) int {
	quote := text[i]
	for i++; i < len(text) && text[i] != quote; i++ {
		if text[i] == '\\' && quote == '"' {
			i++
		}
	}
	return i
}
