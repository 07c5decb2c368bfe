package sanitize

import (
	"fmt"
	"strings"
	"unicode/utf8"
)

// Visible is a line of a file for somebody who decides about it: what Text would leave out is spelled out instead, as in Go's strings ("\x1b",
// "\u202e"), so that nothing of it is hidden. Tabs become four blanks. What it gives has nothing more to clean.
func Visible(line string) string {
	if dirty(line) < 0 && !strings.ContainsAny(line, "\n\t") {
		return line
	}
	var b strings.Builder
	for i := 0; i < len(line); {
		r, n := utf8.DecodeRuneInString(line[i:])
		switch {
		case r == utf8.RuneError && n == 1:
			fmt.Fprintf(&b, `\x%02x`, line[i])
		case r == '\t':
			b.WriteString("    ")
		case r == '\r':
			b.WriteString(`\r`)
		case r == '\n':
			b.WriteString(`\n`)
		case hostile(r) && r < 0x80:
			fmt.Fprintf(&b, `\x%02x`, r)
		case hostile(r) && r > 0xffff:
			fmt.Fprintf(&b, `\U%08x`, r)
		case hostile(r):
			fmt.Fprintf(&b, `\u%04x`, r)
		default:
			b.WriteString(line[i : i+n])
		}
		i += n
	}
	return b.String()
}
