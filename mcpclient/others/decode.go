package others

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"strings"

	"github.com/pelletier/go-toml/v2"
	"github.com/tailscale/hujson"
	"go.yaml.in/yaml/v4"
)

// deepest is how deep objects and lists may be in each other. Parsers take memory for each level.
const deepest = 100

// decode reads the text of a file into maps, lists, strings, numbers and truths. The error finishes a sentence that begins with the file.
func decode(path string, text []byte) (map[string]any, error) {
	text = bytes.TrimPrefix(text, []byte("\ufeff"))
	if len(bytes.TrimSpace(text)) == 0 {
		return nil, nil
	}
	var values map[string]any
	switch strings.ToLower(filepath.Ext(path)) {
	case ".toml":
		const most = 1 << 20
		if len(text) > most || deep(text, true) {
			return nil, errors.New("is larger or deeper than a configuration is")
		}
		if err := toml.Unmarshal(text, &values); err != nil {
			return nil, notValid("TOML", err)
		}
	case ".yml", ".yaml":
		const most = 1 << 20
		if len(text) > most {
			return nil, errors.New("is larger than a configuration is")
		}
		if err := yaml.Unmarshal(text, &values); err != nil {
			return nil, notValid("YAML", err)
		}
	default:
		if deep(text, false) {
			return nil, fmt.Errorf("has more than %d levels, which no configuration has", deepest)
		}
		standard, err := hujson.Standardize(bytes.Clone(text)) // comments and commas at the end are usual there
		if err != nil {
			return nil, notValid("JSON", err)
		}
		if err := json.Unmarshal(standard, &values); err != nil {
			return nil, notValid("JSON", err)
		}
	}
	return values, nil
}

// notValid says where a mistake is, and not what stands there: it may be a secret.
func notValid(format string, err error) error {
	var at string
	if wrong, ok := errors.AsType[*toml.DecodeError](err); ok {
		line, column := wrong.Position()
		at = fmt.Sprintf(" at line %d, column %d", line, column)
	} else if i := strings.Index(err.Error(), "line "); i >= 0 {
		digits := strings.TrimLeft(err.Error()[i+5:], "0123456789, column")
		at = " at " + strings.TrimRight(err.Error()[i:len(err.Error())-len(digits)], ", column")
	}
	return fmt.Errorf("is not valid %s%s", format, at)
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
