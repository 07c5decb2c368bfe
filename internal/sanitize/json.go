package sanitize

import (
	"bytes"
	"encoding/json"
	"fmt"
	"unicode/utf16"
	"unicode/utf8"
)

// JSON makes JSON safe to show without changing its value: it escapes the characters that Text would drop. Go's encoder
// does not escape C1 controls and bidi controls. JSON also accepts invalid JSON.
func JSON(b []byte) []byte {
	out := make([]byte, 0, len(b))
	for _, r := range string(b) {
		switch high, low := utf16.EncodeRune(r); {
		case r == '\r': // white space, never part of a string
			out = append(out, ' ')
		case !hostile(r):
			out = utf8.AppendRune(out, r)
		case high != utf8.RuneError:
			out = fmt.Appendf(out, `\u%04x\u%04x`, high, low)
		default:
			out = fmt.Appendf(out, `\u%04x`, r)
		}
	}
	return out
}

// EncodeJSON returns v as JSON that is safe to show, with a newline at the end. With an empty indent it is one line.
func EncodeJSON(v any, indent string) ([]byte, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	e.SetIndent("", indent)
	if err := e.Encode(v); err != nil {
		return nil, err
	}
	return JSON(b.Bytes()), nil
}
