package sanitize

import "unicode"

// hostile reports whether r may control the terminal, reorder text or hide a message. Joiners, variation selectors and
// combining marks are needed by scripts and emoji; run limits them.
func hostile(r rune) bool {
	switch {
	case r == '\n', r == '\t':
		return false
	case r < ' ', r >= 0x7f && r <= 0x9f: // C0, DEL and C1, which has 8-bit forms of ESC [ and ESC ]
		return true
	case r < 0xad, r == 0x200c, r == 0x200d, unicode.Is(unicode.Prepended_Concatenation_Mark, r):
		return false
	}
	isBytes := r >= 0xe0100 && r <= 0xe01ef // variation selectors that can encode any byte
	return isBytes || unicode.In(r, unicode.Cf, unicode.Zl, unicode.Zp,
		unicode.Other_Default_Ignorable_Code_Point, unicode.Noncharacter_Code_Point)
}

// maxMarks is the maximum of combining marks per character. Languages need up to five. More would cover other lines.
const maxMarks = 8

// run counts the marks and joiners since the last base character.
type run struct{ marks, joins int }

// drop reports whether to drop r, the next character, because it is hostile or one of too many marks or joiners. A
// selector and a joiner may follow each other, as in "❤️‍🔥".
func (u *run) drop(r rune) bool {
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
		if u.marks++; u.marks > maxMarks {
			return true
		}
		u.joins = 0
	default:
		*u = run{}
	}
	return false
}

// invisible reports whether r is invisible.
func invisible(r rune) bool {
	const braille = 0x2800 // without a dot
	isFormat := r > 0xad && unicode.In(r, unicode.Cf, unicode.Variation_Selector)
	return hostile(r) || r == braille || isFormat && !unicode.Is(unicode.Prepended_Concatenation_Mark, r)
}
