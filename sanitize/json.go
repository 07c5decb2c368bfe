package sanitize

import (
	"bytes"
	"encoding/json"
	"fmt"
	"unicode/utf16"
	"unicode/utf8"
)

// JSON makes a JSON text safe to show: characters that Text would drop become \u escapes, so that the value stays the
// same. Go's encoder escapes the escape character itself but leaves C1 controls and direction marks as they are. What
// is no valid JSON is made safe just the same.
func JSON(b []byte) []byte {
	out := make([]byte, 0, len(b))
	for len(b) > 0 {
		r, n := utf8.DecodeRune(b)
		switch high, low := utf16.EncodeRune(r); {
		case r == utf8.RuneError:
			out = append(out, "\ufffd"...)
		case r == '\r': // blank between values, and never raw within one
			out = append(out, ' ')
		case !hostile(r):
			out = append(out, b[:n]...)
		case high != utf8.RuneError:
			out = fmt.Appendf(out, `\u%04x\u%04x`, high, low)
		default:
			out = fmt.Appendf(out, `\u%04x`, r)
		}
		b = b[n:]
	}
	return out
}

// EncodeJSON encodes a value as JSON that is safe to show, with a newline at the end. An indent of "" puts it on one
// line.
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
