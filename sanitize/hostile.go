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
	case r < 0xad:
		return false
	}
	return r&0xfffe == 0xfffe || unicode.Is(hostiles, r) // the first are noncharacters
}

var hostiles = &unicode.RangeTable{
	R16: []unicode.Range16{
		{0x00ad, 0x00ad, 1}, // soft hyphen
		{0x034f, 0x034f, 1}, // grapheme joiner
		{0x061c, 0x061c, 1}, // mark of direction
		{0x115f, 0x1160, 1}, // Hangul fillers
		{0x17b4, 0x17b5, 1}, // Khmer vowels that are not shown
		{0x180e, 0x180e, 1}, // Mongolian vowel separator
		{0x200b, 0x200b, 1}, // zero width space
		{0x200e, 0x200f, 1}, // marks of direction
		{0x2028, 0x202e, 1}, // line and paragraph separator, which break the line on some terminals; overrides of direction
		{0x2060, 0x206f, 1}, // word joiner, mathematics that is not shown, isolates of direction, deprecated format characters
		{0x3164, 0x3164, 1}, // Hangul filler
		{0xfdd0, 0xfdef, 1}, // noncharacters
		{0xfeff, 0xfeff, 1}, // byte order mark
		{0xffa0, 0xffa0, 1}, // Hangul filler
		{0xfff0, 0xfffb, 1}, // unassigned, annotations
	},
	R32: []unicode.Range32{
		{0x1bca0, 0x1bca3, 1}, // format of shorthand
		{0x1d173, 0x1d17a, 1}, // format of music
		{0xe0000, 0xe0fff, 1}, // tags, a second alphabet, and variation selectors, which can carry any byte
	},
	LatinOffset: 1,
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
