package sanitize

import (
	"strings"
	"unicode/utf8"
)

const (
	esc       = '\x1b'
	closeLink = "\x1b]8;;\x1b\\"
)

// Output keeps, of text that was already rendered, only printable text, newlines, tabs, colours (SGR) and links to http, https and mailto.
// It is the second filter: a markdown renderer decodes entities such as &#27; after the first one.
//
// Complete sequences of any other kind are dropped. Of one that never ends only its beginning is: what would have been swallowed is shown
// as text. Hidden text (SGR 8) is shown. A link that is still open at the end is closed.
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
	if n == params && s[n] == 'm' {
		if sgr, ok := visible(s[2:params]); ok {
			o.WriteString("\x1b[")
			o.WriteString(sgr)
			o.WriteByte('m')
		}
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
	if safe(url) && span(params, '!', '~') == len(params) {
		for _, part := range [...]string{"\x1b]8;", params, ";", url, "\x1b\\"} {
			o.WriteString(part)
		}
		o.linked = true
	} else if o.linked {
		o.WriteString(closeLink)
		o.linked = false
	}
}

// safe tells whether following the address starts no more than a browser or a letter, and whether it is written as addresses must be: in ASCII.
func safe(url string) bool {
	if span(url, '!', '~') != len(url) {
		return false
	}
	for _, scheme := range []string{"http://", "https://", "mailto:"} {
		if len(url) > len(scheme) && strings.EqualFold(url[:len(scheme)], scheme) {
			return true
		}
	}
	return false
}

// visible drops "conceal" from the parameters of an SGR sequence. ok is false when nothing is left, or when they are no SGR parameters.
func visible(params string) (kept string, ok bool) {
	if !numbers(params) {
		return "", false
	}
	if !hides(params) {
		return params, true
	}
	var list []string
	for fields := strings.Split(params, ";"); len(fields) > 0; {
		n := min(colour(fields), len(fields))
		if n > 1 || !conceals(fields[0]) && !introduces(fields[0]) {
			list = append(list, fields[:n]...)
		}
		fields = fields[n:]
	}
	return strings.Join(list, ";"), len(list) > 0
}

// hides tells whether any parameter conceals, the parts of colours included: rarely true, and cheap to ask.
func hides(params string) bool {
	for field := range strings.SplitSeq(params, ";") {
		if conceals(field) {
			return true
		}
	}
	return false
}

// conceals tells whether a parameter hides the text that follows.
func conceals(field string) bool {
	n, _, _ := strings.Cut(field, ":")
	return strings.TrimLeft(n, "0") == "8"
}

// introduces reports whether a parameter begins a colour. One that is not followed by a colour would make one of what stands behind.
func introduces(field string) bool {
	n := strings.TrimLeft(field, "0")
	return n == "38" || n == "48" || n == "58"
}

// colour is how many parameters belong together at the start of fields: in 38;5;8 the 8 is a colour and means nothing by itself.
func colour(fields []string) int {
	if len(fields) == 1 || !introduces(fields[0]) {
		return 1
	}
	switch strings.TrimLeft(fields[1], "0") {
	case "5":
		return 3
	case "2":
		return 5
	}
	return 1
}

// numbers tells whether params are numbers of at most three digits, parted by colons and semicolons. A longer one could become another
// number in a terminal that computes with few bits.
func numbers(params string) bool {
	digits := 0
	for _, c := range []byte(params) {
		switch {
		case c == ':' || c == ';':
			digits = 0
		case c < '0' || c > '9' || digits == 3:
			return false
		default:
			digits++
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
