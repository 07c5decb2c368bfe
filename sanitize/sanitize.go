// Package sanitize makes text from models, tools, servers, files and the clipboard safe to show in a terminal.
//
// It is the one place where that is done. Everything that prints uses it: the chat, -p, sessions show, the logs. It
// imports nothing of ours.
//
// There are two filters. Text, Line and Filter clean what came from outside: no control character survives, so no
// escape sequence does. Output cleans what a renderer of ours made of it: colours and links survive, and nothing else.
package sanitize

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// Filter cleans a stream of untrusted chunks. It drops control and direction-changing characters, the escape character
// included, so that a sequence split over two chunks dies too, and holds an incomplete UTF-8 character back until the
// rest arrives. What comes out is the same wherever the stream was split. The zero value is ready. Not safe for
// concurrent use.
type Filter struct {
	tail string
	run  run
}

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
	return clean(s, &f.run)
}

// Flush ends the stream: what was held back comes out as U+FFFD. The filter is then ready for the next stream.
func (f *Filter) Flush() string {
	held := f.tail != ""
	*f = Filter{}
	if held {
		return string(utf8.RuneError)
	}
	return ""
}

// Text cleans a whole text. Newlines and tabs stay, invalid UTF-8 becomes U+FFFD. Text that is clean already is
// returned without a copy.
func Text(s string) string {
	n := incomplete(s)
	if n == 0 {
		return clean(s, new(run))
	}
	return clean(s[:len(s)-n], new(run)) + string(utf8.RuneError)
}

// Line cleans s and makes it one line: runs of white space become one space, none at either end.
func Line(s string) string {
	if isLine(s) {
		return s
	}
	var b strings.Builder
	b.Grow(len(s))
	var seen run
	space := false
	for _, r := range s {
		switch {
		case unicode.IsSpace(r): // before hostile: a carriage return parts two words, too
			space = b.Len() > 0
			seen = run{}
		case !seen.drops(r):
			if space {
				b.WriteByte(' ')
				space = false
			}
			b.WriteRune(r)
		}
	}
	return b.String()
}

// isLine reports whether Line has nothing to do.
func isLine(s string) bool {
	odd := func(r rune) bool { return r != ' ' && unicode.IsSpace(r) }
	return dirty(s, new(run)) < 0 && strings.TrimSpace(s) == s && !strings.Contains(s, "  ") && !strings.ContainsFunc(s, odd)
}

// clean drops the hostile characters of s, which follows what was seen, and replaces each invalid byte with U+FFFD.
func clean(s string, seen *run) string {
	before := *seen
	if dirty(s, seen) < 0 {
		return s
	}
	*seen = before
	return strings.Map(func(r rune) rune {
		if seen.drops(r) {
			return -1
		}
		return r
	}, s)
}

// dirty is the index of the first character of s to be dropped, or of the first invalid byte; -1 if there is none.
func dirty(s string, seen *run) int {
	for i := 0; i < len(s); {
		c := s[i]
		if c < utf8.RuneSelf {
			if (c < ' ' && c != '\n' && c != '\t') || c == 0x7f {
				return i
			}
			*seen = run{}
			i++
			continue
		}
		r, n := utf8.DecodeRuneInString(s[i:])
		if n == 1 || seen.drops(r) {
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
