package sanitize

import "strings"

const closeLink = "\x1b]8;;\x1b\\"

// Output cleans rendered text. It keeps printable text, newlines, tabs, colours (SGR) and links to http, https and
// mailto. It is the second filter, because a markdown renderer decodes entities such as &#27; after the first one.
//
// Of all other escape sequences, and of SGR that could hide text, Output drops the escape character. It closes a link
// that is open at the end.
func Output(s string) string {
	if !strings.Contains(s, "\x1b") {
		return Text(s)
	}
	var b strings.Builder
	var seen run
	linked := false
	for {
		text, rest, escaped := strings.Cut(s, "\x1b")
		b.WriteString(clean(text, &seen))
		if !escaped {
			break
		}
		s = rest
		if n := colours(s); n > 0 {
			b.WriteString("\x1b" + s[:n])
			s = s[n:]
		} else if n := link(s); n > 0 {
			b.WriteString("\x1b" + s[:n])
			linked = s[:n] != closeLink[1:]
			s = s[n:]
		}
	}
	if linked {
		b.WriteString(closeLink)
	}
	return b.String()
}

// colours returns the length of an SGR sequence at the start of s, without the escape character before it, or 0.
func colours(s string) int {
	params, ok := strings.CutPrefix(s, "[")
	n := span(params, '0', ';')
	if !ok || n == len(params) || params[n] != 'm' || !shows(params[:n]) {
		return 0
	}
	return 1 + n + 1
}

// link returns the length of a link sequence at the start of s, without the escape character before it, or 0.
func link(s string) int {
	body, ok := strings.CutPrefix(s, "]8;")
	end := strings.Index(body, "\x1b\\")
	if !ok || end < 0 {
		return 0
	}
	params, url, _ := strings.Cut(body[:end], ";")
	if s[:len("]8;")+end+2] != closeLink[1:] && !(IsLink(url) && span(params, '!', '~') == len(params)) {
		return 0
	}
	return len("]8;") + end + 2
}

// IsLink reports whether an address is safe as a link: http, https or mailto, in ASCII.
func IsLink(url string) bool {
	if span(url, '!', '~') != len(url) || len(url) > 2000 {
		return false
	}
	for _, scheme := range []string{"http://", "https://", "mailto:"} {
		if len(url) > len(scheme) && strings.EqualFold(url[:len(scheme)], scheme) {
			return true
		}
	}
	return false
}

// shows reports whether SGR parameters keep text visible: numbers other than 8, which hides text, even within a colour.
// Longer numbers could overflow in a terminal.
func shows(params string) bool {
	for field := range strings.FieldsFuncSeq(params, func(r rune) bool { return r == ';' || r == ':' }) {
		if len(field) > 3 || span(field, '0', '9') != len(field) || strings.TrimLeft(field, "0") == "8" {
			return false
		}
	}
	return true
}

// span returns the number of bytes from lo to hi at the start of s.
func span(s string, lo, hi byte) int {
	for i := range len(s) {
		if s[i] < lo || s[i] > hi {
			return i
		}
	}
	return len(s)
}

// HideSemicolons replaces the semicolons in the addresses of links with spaces, which no address has, because the
// terminal library drops links with a semicolon. ShowSemicolons undoes it.
func HideSemicolons(text string) string { return replaceInLinks(text, ";", " ") }

// ShowSemicolons undoes HideSemicolons.
func ShowSemicolons(text string) string { return replaceInLinks(text, " ", ";") }

// replaceInLinks replaces a character in the addresses of the link sequences in rendered text.
func replaceInLinks(text, from, to string) string {
	const begin = "\x1b]8;"
	parts := strings.Split(text, begin)
	for i, part := range parts[1:] {
		end := strings.IndexAny(part, "\x1b\x07") // the end of the sequence
		if end < 0 {
			end = len(part)
		}
		params, address, _ := strings.Cut(part[:end], ";")
		parts[i+1] = params + ";" + strings.ReplaceAll(address, from, to) + part[end:]
	}
	return strings.Join(parts, begin)
}
