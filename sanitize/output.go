package sanitize

import "strings"

const closeLink = "\x1b]8;;\x1b\\"

// Output keeps, of text that was already rendered, only printable text, newlines, tabs, colours (SGR) and links to
// http, https and mailto, as our own renderers write them. It is the second filter: a markdown renderer decodes
// entities such as &#27; after the first one.
//
// Of any other sequence the escape character is dropped, and the rest is text. Colours that could hide text (SGR 8) are
// dropped. A link that is still open at the end is closed.
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

// colours is how many bytes of s, which follows an escape character, choose colours; 0 if it does not begin so.
func colours(s string) int {
	params, ok := strings.CutPrefix(s, "[")
	n := span(params, '0', ';')
	if !ok || n == len(params) || params[n] != 'm' || !shows(params[:n]) {
		return 0
	}
	return 1 + n + 1
}

// link is how many bytes of s, which follows an escape character, begin or end a link; 0 if it does not begin so.
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

// IsLink reports whether a terminal may be given an address to open: it starts no more than a browser or a letter, and
// is written in ASCII.
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

// shows reports whether colours keep text visible: they are numbers, and none is 8, which hides the text that follows,
// not even inside of a colour. A number of more than three digits could become another one in a terminal that computes
// with few bits.
func shows(params string) bool {
	for field := range strings.FieldsFuncSeq(params, func(r rune) bool { return r == ';' || r == ':' }) {
		if len(field) > 3 || span(field, '0', '9') != len(field) || strings.TrimLeft(field, "0") == "8" {
			return false
		}
	}
	return true
}

// span counts the bytes at the start of s from lo to hi.
func span(s string, lo, hi byte) int {
	for i := range len(s) {
		if s[i] < lo || s[i] > hi {
			return i
		}
	}
	return len(s)
}
