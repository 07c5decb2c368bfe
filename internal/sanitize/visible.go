package sanitize

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Visible returns a line for a decision of the user. It escapes invisible characters as in Go's strings ("\x1b",
// "\u202e"), except joiners of emoji, and too many combining marks. Tabs become four spaces. The result is clean.
func Visible(line string) string {
	if dirty(line, new(run)) < 0 && !strings.ContainsAny(line, "\n\t") && !strings.ContainsFunc(line, invisible) {
		return line
	}
	var b strings.Builder
	var seen run
	emoji := false // the last character was an emoji, perhaps with a selector
	for i := 0; i < len(line); {
		r, n := utf8.DecodeRuneInString(line[i:])
		next, _ := utf8.DecodeRuneInString(line[i+n:])
		joins := emoji && (r == 0xfe0f || r == 0x200d && isEmoji(next))
		switch {
		case r == utf8.RuneError && n == 1:
			fmt.Fprintf(&b, `\x%02x`, line[i])
		case r == '\t':
			b.WriteString("    ")
		case r == '\r':
			b.WriteString(`\r`)
		case r == '\n':
			b.WriteString(`\n`)
		case !seen.drop(r) && (joins || !invisible(r)):
			b.WriteRune(r)
		case r < 0x80:
			fmt.Fprintf(&b, `\x%02x`, r)
		case r > 0xffff:
			fmt.Fprintf(&b, `\U%08x`, r)
		default:
			fmt.Fprintf(&b, `\u%04x`, r)
		}
		emoji = isEmoji(r) || joins && r == 0xfe0f
		i += n
	}
	return b.String()
}

// isEmoji reports whether r may be an emoji or a skin tone.
func isEmoji(r rune) bool {
	return unicode.Is(unicode.So, r) && !invisible(r) && r != utf8.RuneError || r >= 0x1f3fb && r <= 0x1f3ff
}

// IsVisible reports whether a text has at most limit bytes and only visible characters and spaces.
func IsVisible(text string, limit int) bool {
	return strings.TrimSpace(text) != "" && len(text) <= limit && utf8.ValidString(text) &&
		!strings.ContainsFunc(text, func(r rune) bool { return r != ' ' && !unicode.IsGraphic(r) })
}
