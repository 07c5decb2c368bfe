//go:build unix

package screen

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

// longestSequence is the maximum length of an escape sequence, in bytes. Terminals send far shorter ones.
const longestSequence = 1024

// extent is how much of a sequence there is.
type extent int

const (
	partial extent = iota // more bytes must follow
	whole                 // a key, a character or a response
	junk                  // broken off, or not for a terminal
)

// sequence returns the length of the first character, control or escape sequence in b, and its extent. The length of a
// partial one is 0. A control ends a sequence that it is not part of. b must not be empty.
func sequence(b []byte) (n int, e extent) {
	if n, e = measure(b); n > longestSequence {
		return longestSequence, junk
	}
	return n, e
}

func measure(b []byte) (n int, e extent) {
	switch {
	case b[0] < utf8.RuneSelf && b[0] != '\x1b':
		return 1, whole
	case b[0] != '\x1b':
		return character(b)
	case len(b) == 1:
		return 0, partial
	}
	switch b[1] {
	case '[':
		return report(b)
	case 'O':
		return function(b)
	case ']', 'P', '_', '^', 'X':
		return response(b)
	case '\x1b':
		if len(b) > 2 && b[2] != '[' && b[2] != 'O' {
			return 1, whole // the escape key
		}
	}
	n, e = sequence(b[1:])
	switch {
	case e == partial:
		return 0, partial
	case b[1] == '\x1b' && (e == junk || n <= 2):
		return 1, whole
	}
	return n + 1, e // with alt
}

func character(b []byte) (n int, e extent) {
	if !utf8.FullRune(b) {
		return 0, partial
	}
	r, n := utf8.DecodeRune(b)
	if r == utf8.RuneError {
		return n, junk
	}
	return n, whole
}

// control measures "ESC [", parameters, intermediate bytes and a final byte.
func control(b []byte) (n int, e extent) {
	if b[1] != '[' {
		return 1, junk
	}
	i := skip(b, 2, '0', '?')
	if i > 2 && i == skip(b, 2, '0', '9') && i < len(b) && b[i] == '$' {
		return i + 1, junk // a key with shift in rxvt, which has no final byte
	}
	switch i = skip(b, i, ' ', '/'); {
	case i == len(b):
		return open(b)
	case b[i] < '@' || b[i] > '~':
		return i, junk
	}
	return i + 1, whole
}

// report is control with what follows a final byte in two old protocols: the mouse without SGR reports, and function
// keys of the Linux console.
func report(b []byte) (n int, e extent) {
	n, e = control(b)
	if e != whole {
		return n, e
	}
	end := n
	switch final := b[n-1]; {
	case string(b[2:n]) == "M":
		end += 3
	case string(b[2:n]) == "[":
		end++
	case final == 'M' && b[2] != '<', final == '_':
		return n, junk // the decoder would take more bytes; only Windows sends "_"
	}
	switch i := skip(b[:min(end, len(b))], n, ' ', 0xff); {
	case i == end:
		return end, whole
	case i == len(b):
		return open(b)
	}
	return n, junk
}

// function measures "ESC O": digits and a final byte.
func function(b []byte) (n int, e extent) {
	i := skip(b, 2, '0', '9')
	switch {
	case i == len(b):
		return open(b)
	case b[i] > ' ' && b[i] <= '~':
		return i + 1, whole
	}
	return broken(i)
}

// responses has the bytes that follow the introducers of responses. Others follow only a letter with alt.
var responses = map[byte]string{']': "0123456789", 'P': "0123456789>!+$|", '_': "G"}

// response measures a string that ends with "ESC \", or with BEL if it begins with "ESC ]".
func response(b []byte) (n int, e extent) {
	if responses[b[1]] == "" || len(b) > 2 && strings.IndexByte(responses[b[1]], b[2]) < 0 {
		return 2, whole
	}
	for i := 2; i < len(b); i++ {
		switch {
		case b[i] == '\a' && b[1] == ']', b[i] == 0x9c:
			return i + 1, whole
		case b[i] == '\x1b' && i+1 == len(b):
			return open(b)
		case b[i] == '\x1b' && b[i+1] == '\\':
			return i + 2, whole
		case b[i] < ' ':
			return broken(i)
		}
	}
	return open(b)
}

// open returns the extent of a sequence that has no end yet.
func open(b []byte) (n int, e extent) {
	if len(b) > longestSequence {
		return len(b), junk
	}
	return 0, partial
}

// broken returns the extent of a sequence that ends too soon. Without anything inside, it is a letter with alt.
func broken(n int) (int, extent) {
	if n == 2 {
		return n, whole
	}
	return n, junk
}

// skip returns the index of the first byte of b from i that is not between low and high.
func skip(b []byte, i int, low, high byte) int {
	for i < len(b) && b[i] >= low && b[i] <= high {
		i++
	}
	return i
}

// withAlt returns a letter with alt in the kitty keyboard protocol, for letters that the decoder would join with what
// follows.
func withAlt(letter []byte) string {
	r, _ := utf8.DecodeRune(letter)
	if lower := unicode.ToLower(r); lower != r {
		return fmt.Sprintf("\x1b[%d;4u", lower)
	}
	return fmt.Sprintf("\x1b[%d;3u", r)
}
