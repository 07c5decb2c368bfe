package window

import "slices"

// member is a value in an object, an array or among lines. In an object it has a key.
type member struct {
	key, keyEnd int // the key with its quotes; both 0 without one
	start, end  int
	size        int // of the value, without white space
}

// cost is how long the member is when all of it is written.
func (m member) cost() int {
	if m.keyEnd == 0 {
		return m.size
	}
	return m.keyEnd - m.key + 1 + m.size
}

// members goes through what is inside the object or array that begins with kind before i, or through lines from i on when kind is '\n'.
// The text has been checked.
func (s *survey) members(kind byte, i int, visit func(member) bool) {
	for {
		for i < len(s.text) && (isWhite(s.text[i]) || s.text[i] == ',') {
			i++
		}
		if i >= len(s.text) || s.text[i] == kind+2 && kind != '\n' {
			return
		}
		var m member
		if kind == '{' {
			m.key, m.keyEnd = i, endOf(s.text, i)
			for i = m.keyEnd; isWhite(s.text[i]) || s.text[i] == ':'; {
				i++
			}
		}
		m.start = i
		m.end, m.size = s.measure(i)
		if !visit(m) {
			return
		}
		i = m.end
	}
}

// measure tells where the value at i ends and how long it is without white space.
func (s *survey) measure(i int) (end, size int) {
	switch s.text[i] {
	case '"':
		end = endOf(s.text, i)
		return end, end - i
	case '{', '[':
		at, known := slices.BinarySearchFunc(s.large, i, func(e extent, start int) int { return e.start - start })
		if known {
			return s.large[at].end, s.large[at].size
		}
		return s.measureInside(i)
	}
	for end = i; end < len(s.text) && !isWhite(s.text[end]); end++ {
		if c := s.text[end]; c == ',' || c == ']' || c == '}' {
			break
		}
	}
	return end, end - i
}

// measureInside measures a value whose end nobody remembers.
func (s *survey) measureInside(i int) (end, size int) {
	depth := 0
	for end = i; end < len(s.text); {
		switch c := s.text[end]; c {
		case '"':
			from := end
			end = endOf(s.text, end)
			size += end - from
			continue
		case '{', '[':
			depth++
		case '}', ']':
			depth--
		}
		if !isWhite(s.text[end]) {
			size++
		}
		end++
		if depth == 0 {
			break
		}
	}
	return end, size
}
