package toolcall

import (
	"bytes"
	"encoding/json"
	"regexp"
	"strings"
)

// loose reads what is nearly JSON, as models write it, or literals of Python, and writes JSON. Nothing of what it reads is left out but
// comments, and what was cut off in the middle is not accepted: half of a file is worse than none.
type loose struct {
	text   []byte // what is left
	out    writer
	depth  int
	lists  int  // how many of the brackets that are open are square
	python bool // literals only: no words without quotes, and nothing left open
}

// repairJSON makes JSON of text that nearly is.
func repairJSON(text []byte) (fixed json.RawMessage, ok bool) {
	l := loose{text: withoutFence(text)}
	if !l.value() {
		return nil, false
	}
	for l.space(); len(l.text) > 0 && strings.IndexByte("]};", l.text[0]) >= 0; l.space() {
		l.text = l.text[1:]
	}
	return l.out.Bytes(), len(l.text) == 0 && json.Valid(l.out.Bytes())
}

// withoutFence drops the code fence around a text.
func withoutFence(text []byte) []byte {
	text = bytes.TrimSpace(text)
	inside, ok := bytes.CutPrefix(text, []byte("```"))
	if !ok {
		return text
	}
	_, inside, _ = bytes.Cut(inside, []byte("\n"))
	return bytes.TrimSpace(bytes.TrimSuffix(inside, []byte("```")))
}

// space drops white space and comments.
func (l *loose) space() {
	for {
		l.text = bytes.TrimLeft(l.text, white+"\u00a0\ufeff")
		opening, closing := "//", "\n"
		switch {
		case l.python || bytes.HasPrefix(l.text, []byte(opening)):
		case bytes.HasPrefix(l.text, []byte("#")):
			opening = "#"
		case bytes.HasPrefix(l.text, []byte("/*")):
			opening, closing = "/*", "*/"
		}
		if l.python || !bytes.HasPrefix(l.text, []byte(opening)) {
			return
		}
		_, l.text, _ = bytes.Cut(l.text[len(opening):], []byte(closing))
	}
}

// take drops c when it is next.
func (l *loose) take(c byte) bool {
	l.space()
	if len(l.text) == 0 || l.text[0] != c {
		return false
	}
	l.text = l.text[1:]
	return true
}

// value reads one value.
func (l *loose) value() bool {
	l.space()
	if len(l.text) == 0 || l.depth >= deepest {
		return false
	}
	l.depth++
	defer func() { l.depth-- }()
	switch c := l.text[0]; {
	case c == '{':
		return l.object()
	case c == '[':
		return l.list(']')
	case c == '(' && l.python:
		return l.list(')')
	case quoteAt(l.text) != "":
		text, ok := l.str(false)
		l.out.string(text)
		return ok
	}
	return l.atom()
}

func (l *loose) object() bool {
	l.text = l.text[1:]
	l.out.WriteByte('{')
	ok := l.members('}', func() bool {
		key, ok := l.key()
		l.out.string(key)
		l.out.WriteByte(':')
		return ok && l.take(':') && l.value()
	})
	l.out.WriteByte('}')
	return ok
}

func (l *loose) list(closing byte) bool {
	l.text = l.text[1:]
	l.lists++
	l.out.WriteByte('[')
	ok := l.members(closing, l.value)
	l.out.WriteByte(']')
	l.lists--
	return ok
}

// members reads members, and commas between them, to the closing bracket. Outside of Python a comma may be missing or too many, and so may
// closing brackets be missing.
func (l *loose) members(closing byte, member func() bool) bool {
	comma := true
	for n := 0; ; n++ {
		if l.take(closing) {
			return true
		}
		for !l.python && comma && n > 0 && l.take(',') {
		}
		switch {
		case len(l.text) == 0:
			return !l.python && !comma
		case l.closed(closing):
			return true
		case n > 0 && l.python && !comma:
			return false
		}
		if n > 0 {
			l.out.WriteByte(',')
		}
		if !member() {
			return false
		}
		comma = l.take(',')
	}
}

// closed reports whether the bracket is closed: by its own, or by that of one around it, which is left.
func (l *loose) closed(closing byte) bool {
	switch c := l.text[0]; {
	case c == closing:
		l.text = l.text[1:]
		return true
	case l.python:
		return false
	case c == '}':
		return l.depth > l.lists
	case c == ']':
		return l.lists > 0
	}
	return false
}

// key reads the name of a member, which may come without quotes.
func (l *loose) key() (string, bool) {
	l.space()
	if quoteAt(l.text) != "" {
		return l.str(true)
	}
	name, _, _ := nameAt(l.text)
	if colon := bytes.IndexByte(name, ':'); colon >= 0 {
		name = name[:colon]
	}
	l.text = l.text[len(name):]
	return string(name), len(name) > 0 && !l.python
}

// bareWord is one that may do without quotes: it cannot be taken for anything else.
var bareWord = regexp.MustCompile(`^[A-Za-z0-9_./~@-][A-Za-z0-9_./~@:?&=%+-]*$`)

// atom reads a number, true, false or null, in the words of Python as well, or a single word without quotes.
func (l *loose) atom() bool {
	end := bytes.IndexAny(l.text, white+",)]}")
	if end < 0 {
		end = len(l.text)
	}
	text := string(l.text[:end])
	l.text = l.text[end:]
	switch text {
	case "True", "true":
		text = "true"
	case "False", "false":
		text = "false"
	case "None", "null", "undefined":
		text = "null"
	default:
		if len(l.text) == 0 && !l.python {
			return false // it may have gone on
		}
		if number, ok := number(text); ok {
			text = number
			break
		}
		if l.python || !bareWord.MatchString(text) {
			return false
		}
		l.out.string(text)
		return true
	}
	l.out.WriteString(text)
	return true
}

// number is a number as JSON writes it.
func number(text string) (string, bool) {
	text = strings.TrimPrefix(text, "+")
	switch {
	case strings.HasPrefix(text, "."):
		text = "0" + text
	case strings.HasPrefix(text, "-."):
		text = "-0" + text[1:]
	}
	text = strings.TrimSuffix(text, ".")
	return text, isNumber(text)
}
