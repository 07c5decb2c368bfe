package sanitize

import "strings"

// HideSemicolons replaces the semicolons in the addresses of links with spaces, which no address has, because the
// terminal library drops links with a semicolon. ShowSemicolons undoes it.
func HideSemicolons(text string) string { return replaceInLinks(text, ";", " ") }

// ShowSemicolons undoes HideSemicolons.
func ShowSemicolons(text string) string { return replaceInLinks(text, " ", ";") }

// replaceInLinks replaces a character in the addresses of the link sequences in rendered text.
func replaceInLinks(text, from, to string) string {
	const begin = "\x1b]8;"
	if !strings.Contains(text, begin) {
		return text
	}
	var b strings.Builder
	for {
		before, rest, found := strings.Cut(text, begin)
		b.WriteString(before)
		if !found {
			return b.String()
		}
		end := strings.IndexAny(rest, "\x1b\x07") // the end of the sequence
		if end < 0 {
			end = len(rest)
		}
		params, address, _ := strings.Cut(rest[:end], ";")
		b.WriteString(begin + params + ";" + strings.ReplaceAll(address, from, to))
		text = rest[end:]
	}
}
