package sanitize

import (
	"fmt"
	"unicode/utf16"
	"unicode/utf8"
)

// del is the first byte that JSON's own encoder does not escape although a terminal may obey it.
const del = 0x7f

// JSON makes a JSON text safe to show: characters that Text would drop become \u escapes, so that the value stays the same.
// Go's encoder escapes the escape character itself but leaves C1 controls and direction marks as they are. b may be returned as it is.
func JSON(b []byte) []byte {
	if isPlain(b) {
		return b
	}
	out := make([]byte, 0, len(b))
	for len(b) > 0 {
		r, n := utf8.DecodeRune(b)
		if r < del || !hostile(r) {
			out = append(out, b[:n]...)
		} else if high, low := utf16.EncodeRune(r); high != utf8.RuneError {
			out = fmt.Appendf(out, `\u%04x\u%04x`, high, low)
		} else {
			out = fmt.Appendf(out, `\u%04x`, r)
		}
		b = b[n:]
	}
	return out
}

func isPlain(b []byte) bool {
	for _, c := range b {
		if c >= del {
			return false
		}
	}
	return true
}
