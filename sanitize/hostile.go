package sanitize

import "unicode"

// hostile characters do something to the terminal, or to the order in which text is read, or hide in a text: they show
// nothing and can carry any message. Joiners, variation selectors and marks, which scripts and emoji need, stay as far
// as run allows.
func hostile(r rune) bool {
	switch {
	case r == '\n', r == '\t':
		return false
	case r < ' ', r >= 0x7f && r <= 0x9f: // C0, DEL and C1: the 8-bit forms of ESC [, ESC ] and their like
		return true
	case r < 0xad, r == 0x200c, r == 0x200d, unicode.Is(unicode.Prepended_Concatenation_Mark, r):
		return false
	}
	return unicode.In(r, unicode.Cf, unicode.Zl, unicode.Zp, unicode.Other_Default_Ignorable_Code_Point, unicode.Noncharacter_Code_Point) ||
		r >= 0xe0100 && r <= 0xe01ef // variation selectors that can carry any byte
}

// maxMarks is how many combining marks one character may have. Languages need up to five; more of them cover the lines
// around.
const maxMarks = 8

// run is what has followed the last character that stands for itself. The zero value is nothing.
type run struct{ marks, joins int }

// drops reports whether r, the next character, is left out: because it is hostile, or because one of its kind too many.
// The selector and the joiner of "❤️‍🔥" may follow one another; longer rows of them only hide something.
func (u *run) drops(r rune) bool {
	switch {
	case hostile(r):
		return true
	case r < 0x300:
		*u = run{}
	case r == 0x200c, r == 0x200d: // joiners
		was := u.joins
		u.joins = 2
		return was == 2
	case unicode.Is(unicode.Variation_Selector, r):
		was := u.joins
		u.joins = max(was, 1)
		return was > 0
	case unicode.In(r, unicode.Mn, unicode.Me):
		u.marks, u.joins = u.marks+1, 0
		return u.marks > maxMarks
	default:
		*u = run{}
	}
	return false
}

// unseen reports whether r shows nothing of itself.
func unseen(r rune) bool {
	return hostile(r) || r == 0x2800 || // Braille without a dot
		r > 0xad && unicode.In(r, unicode.Cf, unicode.Variation_Selector) && !unicode.Is(unicode.Prepended_Concatenation_Mark, r)
}
