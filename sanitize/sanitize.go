// Package sanitize makes text from models, tools, servers, files and the clipboard safe to show in a terminal.
//
// It is the one place where that is done. Everything that prints uses it: the chat, -p, sessions show, the logs. It imports nothing of ours.
//
// There are two filters. Text, Line and Filter clean what came from outside: no control character survives, so no escape sequence does.
// Output cleans what a renderer of ours made of it: colours and links survive, and nothing else.
package sanitize

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// Filter cleans a stream of untrusted chunks. It drops control and direction-changing characters, the escape character included,
// so that a sequence split over two chunks dies too, and holds an incomplete UTF-8 character back until the rest arrives.
// What comes out is the same wherever the stream was split. The zero value is ready. Not safe for concurrent use.
type Filter struct{ tail string }

// Write returns what of s may be shown.
func (f *Filter) Write(s string) string {
	if f.tail != "" {
		s = f.tail + s
		f.tail = ""
	}
	if n := incomplete(s); n > 0 {
		f.tail = strings.Clone(s[len(s)-n:])
		s = s[:len(s)-n]
	}
	return clean(s)
}

// Flush ends the stream: what was held back comes out as U+FFFD. The filter is then ready for the next stream.
func (f *Filter) Flush() string {
	if f.tail == "" {
		return ""
	}
	f.tail = ""
	return string(utf8.RuneError)
}

// Text cleans a whole text. Newlines and tabs stay, invalid UTF-8 becomes U+FFFD. Text that is clean already is returned without a copy.
func Text(s string) string {
	n := incomplete(s)
	if n == 0 {
		return clean(s)
	}
	return clean(s[:len(s)-n]) + string(utf8.RuneError)
}

// Line cleans s and makes it one line: runs of white space become one space, none at either end.
func Line(s string) string {
	if isLine(s) {
		return s
	}
	var b strings.Builder
	b.Grow(len(s))
	space := false
	for _, r := range s {
		switch {
		case unicode.IsSpace(r): // before hostile: a carriage return parts two words, too
			space = b.Len() > 0
		case !hostile(r):
			if space {
				b.WriteByte(' ')
				space = false
			}
			b.WriteRune(r)
		}
	}
	return b.String()
}

// isLine tells whether Line has nothing to do.
func isLine(s string) bool {
	space := true // as if one came before: none may lead
	for i := 0; i < len(s); i++ {
		switch c := s[i]; {
		case c == ' ' && space:
			return false
		case c < ' ' || c == 0x7f:
			return false
		case c < utf8.RuneSelf:
			space = c == ' '
		default:
			r, n := utf8.DecodeRuneInString(s[i:])
			if n == 1 || hostile(r) || unicode.IsSpace(r) {
				return false
			}
			i += n - 1
			space = false
		}
	}
	return !space || s == ""
}

// clean drops the hostile characters of s and replaces each invalid byte with U+FFFD.
func clean(s string) string {
	if dirty(s) < 0 {
		return s
	}
	return strings.Map(func(r rune) rune {
		if hostile(r) {
			return -1
		}
		return r
	}, s)
}

// dirty is the index of the first hostile character or invalid byte of s, -1 if there is none.
func dirty(s string) int {
	for i := 0; i < len(s); {
		c := s[i]
		if c < utf8.RuneSelf {
			if (c < ' ' && c != '\n' && c != '\t') || c == 0x7f {
				return i
			}
			i++
			continue
		}
		r, n := utf8.DecodeRuneInString(s[i:])
		if n == 1 || hostile(r) {
			return i
		}
		i += n
	}
	return -1
}

// incomplete is how many bytes at the end of s begin a UTF-8 character that the next bytes may complete.
func incomplete(s string) int {
	for n := 1; n < utf8.UTFMax && n <= len(s); n++ {
		if end := s[len(s)-n:]; utf8.RuneStart(end[0]) {
			if utf8.FullRuneInString(end) {
				return 0
			}
			return n
		}
	}
	return 0
}

// hostile characters do something to the terminal, or to the order in which text is read, or hide text from the reader.
// Joiners and variation selectors stay: Persian, Indic scripts and emoji need them.
func hostile(r rune) bool {
	switch {
	case r == '\n', r == '\t':
		return false
	case r < ' ', r >= 0x7f && r <= 0x9f: // C0, DEL and C1: the 8-bit forms of ESC [, ESC ] and their like
		return true
	case r < 0x061c:
		return false
	case r == 0x061c, r == 0x200e, r == 0x200f, r >= 0x202a && r <= 0x202e, r >= 0x2066 && r <= 0x2069: // marks, overrides and isolates of direction
		return true
	case r == 0x2028, r == 0x2029: // line and paragraph separator: some terminals break the line, most do not
		return true
	case r >= 0x206a && r <= 0x206f, r >= 0xfff9 && r <= 0xfffb: // deprecated format characters, interlinear annotations
		return true
	case r == 0xfeff, r&0xfffe == 0xfffe, r >= 0xfdd0 && r <= 0xfdef: // byte order mark, noncharacters
		return true
	case r >= 0xe0000 && r <= 0xe007f: // tags: a second, invisible alphabet
		return true
	}
	return false
}
