package others

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"unicode/utf16"

	"github.com/pelletier/go-toml/v2"
	"go.yaml.in/yaml/v4"
)

// deepest is how deep objects and lists may be in each other. Parsers take memory for each level.
const deepest = 100

// decode reads the text of a file into maps, lists, strings, numbers and truths. The error finishes a sentence that begins with the file.
func decode(path string, text []byte) (map[string]any, error) {
	text = asUTF8(text)
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
		return decodeJSON(text)
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

// asUTF8 takes the mark off that editors on Windows put first, and reads the two bytes a character that PowerShell writes with >.
func asUTF8(text []byte) []byte {
	var order binary.ByteOrder
	switch {
	case bytes.HasPrefix(text, []byte{0xff, 0xfe}):
		order = binary.LittleEndian
	case bytes.HasPrefix(text, []byte{0xfe, 0xff}):
		order = binary.BigEndian
	default:
		return bytes.TrimPrefix(text, []byte("\ufeff"))
	}
	var units []uint16
	for i := 2; i+1 < len(text); i += 2 {
		units = append(units, order.Uint16(text[i:]))
	}
	return []byte(string(utf16.Decode(units)))
}
