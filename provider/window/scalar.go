package window

import "strings"

// scalar checks the string, number or word at i and returns where it ends.
func scalar(text string, i int) (end int, ok bool) {
	switch text[i] {
	case '"':
		return quoted(text, i)
	case 't':
		return word(text, i, "true")
	case 'f':
		return word(text, i, "false")
	case 'n':
		return word(text, i, "null")
	}
	return number(text, i)
}

func word(text string, i int, want string) (end int, ok bool) {
	return i + len(want), strings.HasPrefix(text[i:], want)
}

// quoted checks the string at i.
func quoted(text string, i int) (end int, ok bool) {
	for i++; i < len(text); i++ {
		switch c := text[i]; {
		case c == '"':
			return i + 1, true
		case c < ' ':
			return i, false
		case c == '\\':
			n := escape(text[i:])
			if n == 0 {
				return i, false
			}
			i += n - 1
		}
	}
	return i, false
}

// escape is how long the escape is that text begins with, or 0 when it is none.
func escape(text string) int {
	if len(text) < 2 {
		return 0
	}
	switch text[1] {
	case '"', '\\', '/', 'b', 'f', 'n', 'r', 't':
		return 2
	case 'u':
		for k := 2; k < 6; k++ {
			if k >= len(text) || !isHex(text[k]) {
				return 0
			}
		}
		return 6
	}
	return 0
}

func isHex(c byte) bool { return isDigit(c) || c|0x20 >= 'a' && c|0x20 <= 'f' }

func isDigit(c byte) bool { return c >= '0' && c <= '9' }

// number checks the number at i.
func number(text string, i int) (end int, ok bool) {
	if text[i] == '-' {
		i++
	}
	first := i
	if i = digits(text, i); i == first || text[first] == '0' && i > first+1 {
		return i, false
	}
	if i < len(text) && text[i] == '.' {
		from := i + 1
		if i = digits(text, from); i == from {
			return i, false
		}
	}
	if i < len(text) && text[i]|0x20 == 'e' {
		if i++; i < len(text) && (text[i] == '+' || text[i] == '-') {
			i++
		}
		from := i
		if i = digits(text, from); i == from {
			return i, false
		}
	}
	return i, true
}

func digits(text string, i int) int {
	for i < len(text) && isDigit(text[i]) {
		i++
	}
	return i
}

// endOf is where the string at i of a text that has been checked ends.
func endOf(text string, i int) int {
	for i++; text[i] != '"'; i++ {
		if text[i] == '\\' {
			i++
		}
	}
	return i + 1
}
