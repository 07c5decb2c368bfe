package sanitize

import (
	"strings"
	"unicode/utf8"
)

const (
	esc       = '\x1b'
	closeLink = "\x1b]8;;\x1b\\"
)

// Output keeps, of text that was already rendered, only printable text, newlines, tabs, colours (SGR) and links to
// http, https and mailto. It is the second filter: a markdown renderer decodes entities such as &#27; after the first
// one.
//
// Complete sequences of any other kind are dropped. Of one that never ends only its beginning is: what would have been
// swallowed is shown as text. Colours that could hide text (SGR 8) are dropped. A link that is still open at the end is
// closed.
func Output(s string) string {
	var seen run
	i := dirty(s, &seen)
	if i < 0 {
		return s
	}
	var o output
	o.Grow(len(s))
	for ; i >= 0; i = dirty(s, &seen) {
		o.WriteString(s[:i])
		s = s[i:]
		if s[0] == esc {
			s = s[o.sequence(s):]
			continue
		}
		r, n := utf8.DecodeRuneInString(s)
		if r == utf8.RuneError {
			o.WriteRune(r)
			seen = run{}
		}
		s = s[n:]
	}
	o.WriteString(s)
	o.link("", "")
	return o.String()
}

// output is the cleaned text so far.
type output struct {
	strings.Builder
	linked bool // a link is open
}

// sequence deals with the escape sequence at the start of s and returns how many bytes of s are done with.
func (o *output) sequence(s string) int {
	if len(s) < 2 {
		return 1
	}
	switch s[1] {
	case '[':
		return o.control(s)
	case ']', 'P', 'X', '^', '_': // OSC, DCS, SOS, PM, APC: a string of any length, then a terminator
		return o.command(s)
	}
	n := 1 + span(s[1:], ' ', '/')
	if n < len(s) && s[n] >= '0' && s[n] <= '~' {
		return n + 1
	}
	return 1
}

// control deals with a CSI sequence: only colours are kept.
func (o *output) control(s string) int {
	params := 2 + span(s[2:], '0', '?')
	n := params + span(s[params:], ' ', '/')
	if n == len(s) || s[n] < '@' || s[n] > '~' {
		return 2 // it never ends
	}
	if sgr := s[2:params]; n == params && s[n] == 'm' && shows(sgr) {
		o.WriteString(s[:n+1])
	}
	return n + 1
}

// command deals with a sequence that carries a string: only links are kept.
func (o *output) command(s string) int {
	body := s[2:]
	end := strings.IndexFunc(body, func(r rune) bool { return r < ' ' || r >= 0x7f && r <= 0x9f })
	if end < 0 {
		return 2
	}
	terminator := 1
	switch rest := body[end:]; {
	case strings.HasPrefix(rest, "\x1b\\"), strings.HasPrefix(rest, "\u009c"):
		terminator = 2
	case rest[0] == '\a' && s[1] == ']':
	default:
		return 2 // cut off by another control character
	}
	if link, ok := strings.CutPrefix(body[:end], "8;"); ok && s[1] == ']' {
		params, url, _ := strings.Cut(link, ";")
		o.link(params, url)
	}
	return 2 + end + terminator
}

// link begins a link. An empty address, or one that is not safe, ends the one before.
func (o *output) link(params, url string) {
	if IsLink(url) && span(params, '!', '~') == len(params) {
		for _, part := range [...]string{"\x1b]8;", params, ";", url, "\x1b\\"} {
			o.WriteString(part)
		}
		o.linked = true
	} else if o.linked {
		o.WriteString(closeLink)
		o.linked = false
	}
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
