// Package sanitize makes text from models, tools, servers, files and the clipboard safe to show in a terminal.
// Everything that prints uses it: the chat, -p, sessions show, the logs.
//
// There are two filters. Text, Line and Filter remove all control characters from untrusted text. Output cleans
// rendered text, and keeps only colours and links.
package sanitize

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// Filter cleans a stream of chunks like Text, with the same result for every split of the stream. It holds back an
// incomplete UTF-8 character until the rest arrives. The zero value is ready to use. A Filter is not safe for
// concurrent use.
type Filter struct {
	tail string
	run  run
}

// Write returns the clean text of a chunk.
func (f *Filter) Write(s string) string {
	s, f.tail = f.tail+s, ""
	if n := incomplete(s); n > 0 {
		f.tail = strings.Clone(s[len(s)-n:])
		s = s[:len(s)-n]
	}
	return clean(s, &f.run)
}

// Flush ends the stream. It returns U+FFFD for an incomplete character. The Filter can then be used again.
func (f *Filter) Flush() string {
	held := f.tail != ""
	*f = Filter{}
	if held {
		return string(utf8.RuneError)
	}
	return ""
}

// Text removes control and bidi characters from s, except newlines and tabs, and replaces invalid UTF-8 with U+FFFD. It
// does not copy clean text.
func Text(s string) string {
	var f Filter
	return f.Write(s) + f.Flush()
}

// Line cleans s like Text and makes it one line: it trims s and collapses white space.
func Line(s string) string {
	odd := func(r rune) bool { return r != ' ' && unicode.IsSpace(r) }
	isTrimmed := strings.TrimSpace(s) == s && !strings.Contains(s, "  ")
	if isTrimmed && dirty(s, new(run)) < 0 && !strings.ContainsFunc(s, odd) {
		return s
	}
	var b strings.Builder
	for word := range strings.FieldsSeq(s) { // words are cleaned one by one, because a carriage return separates them
		if word = clean(word, new(run)); word != "" && b.Len() > 0 {
			b.WriteByte(' ')
		}
		b.WriteString(word)
	}
	return b.String()
}

// clean drops hostile characters and replaces invalid bytes with U+FFFD. seen is the run before s.
func clean(s string, seen *run) string {
	before := *seen
	if dirty(s, seen) < 0 {
		return s
	}
	*seen = before
	return strings.Map(func(r rune) rune {
		if seen.drop(r) {
			return -1
		}
		return r
	}, s)
}

// dirty returns the index of the first hostile character or invalid byte, or -1.
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
		if n == 1 || seen.drop(r) {
			return i
		}
		i += n
	}
	return -1
}

// incomplete returns the length of an incomplete UTF-8 character at the end of s.
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
