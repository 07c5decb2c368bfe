package window

import "strings"

const (
	deepest = 10000 // levels of nesting; encoding/json reads no deeper
	levels  = 64    // of nesting that are shown of a value that is too long
	large   = 4096  // bytes from which on it pays to remember where a value ends
)

// survey is what one look at a JSON text finds: that it is valid, and where its large objects and arrays end. With that, going through
// what any one of them holds takes time only for the small values, so that all of the text is looked at a fixed number of times.
type survey struct {
	text   string
	large  []extent // by start, down to the depth that is shown
	values int      // values at the top: more than one are lines
	size   int      // bytes of all without white space
	white  int      // bytes of white space so far
	open   []level
}

// extent is where a value is, and how long it is without the white space between its parts.
type extent struct{ start, end, size int }

// level is an object or array that the check is inside of.
type level struct {
	closing byte
	start   int
	white   int // before it
	at      int // of it in large
}

// look checks text. ok is false when it is neither one JSON object or array nor lines of them.
func look(text string) (s *survey, ok bool) {
	s = &survey{text: text}
	i := s.skip(0)
	for i < len(text) {
		if text[i] != '{' && text[i] != '[' {
			return s, false
		}
		white := s.white
		end, ok := s.value(i)
		if !ok {
			return s, false
		}
		s.values++
		s.size += end - i - (s.white - white)
		next := s.skip(end)
		if next < len(text) && strings.IndexByte(text[end:next], '\n') < 0 {
			return s, false
		}
		i = next
	}
	return s, s.values > 0
}

func looksLikeJSON(text string) bool {
	for i := 0; i < len(text); i++ {
		if c := text[i]; !isWhite(c) {
			return c == '{' || c == '['
		}
	}
	return false
}

func isWhite(c byte) bool { return c == ' ' || c == '\n' || c == '\t' || c == '\r' }

// skip goes over white space.
func (s *survey) skip(i int) int {
	from := i
	for i < len(s.text) && isWhite(s.text[i]) {
		i++
	}
	s.white += i - from
	return i
}

// value checks the value at i and returns where it ends.
func (s *survey) value(i int) (end int, ok bool) {
	s.open = s.open[:0]
	for {
		if i, ok = s.begin(i); !ok {
			return i, false
		}
		more := false
		for !more { // a value has ended at i
			if len(s.open) == 0 {
				return i, true
			}
			if i, more, ok = s.follow(i); !ok {
				return i, false
			}
		}
	}
}

// begin checks what begins at i: a whole scalar or empty value, or all up to the first value inside.
func (s *survey) begin(i int) (int, bool) {
	for i < len(s.text) {
		c := s.text[i]
		if c != '{' && c != '[' {
			return scalar(s.text, i)
		}
		if len(s.open) >= deepest {
			return i, false
		}
		s.push(c, i)
		i = s.skip(i + 1)
		if i < len(s.text) && s.text[i] == c+2 { // ] and } are two behind [ and {
			return s.pop(i), true
		}
		if c == '{' {
			var ok bool
			if i, ok = s.key(i); !ok {
				return i, false
			}
		}
	}
	return i, false
}

// follow checks what comes behind a value inside another: a comma and what belongs before the next value, or the end of the outer one.
func (s *survey) follow(i int) (next int, more, ok bool) {
	i = s.skip(i)
	if i >= len(s.text) {
		return i, false, false
	}
	closing := s.open[len(s.open)-1].closing
	switch s.text[i] {
	case closing:
		return s.pop(i), false, true
	case ',':
		i = s.skip(i + 1)
		if closing == '}' {
			i, ok = s.key(i)
			return i, true, ok
		}
		return i, true, true
	}
	return i, false, false
}

// key checks the key at i and the colon behind it.
func (s *survey) key(i int) (int, bool) {
	if i >= len(s.text) || s.text[i] != '"' {
		return i, false
	}
	i, ok := quoted(s.text, i)
	if !ok {
		return i, false
	}
	i = s.skip(i)
	if i >= len(s.text) || s.text[i] != ':' {
		return i, false
	}
	return s.skip(i + 1), true
}

func (s *survey) push(c byte, i int) {
	s.open = append(s.open, level{closing: c + 2, start: i, white: s.white, at: len(s.large)})
	if len(s.open) <= levels {
		s.large = append(s.large, extent{start: i})
	}
}

// pop ends the innermost level at its closing bracket, at i. A small value is forgotten; those inside it are already.
func (s *survey) pop(i int) int {
	l := s.open[len(s.open)-1]
	end := i + 1
	switch {
	case len(s.open) > levels:
	case end-l.start < large:
		s.large = s.large[:l.at]
	default:
		s.large[l.at].end, s.large[l.at].size = end, end-l.start-(s.white-l.white)
	}
	s.open = s.open[:len(s.open)-1]
	return end
}
