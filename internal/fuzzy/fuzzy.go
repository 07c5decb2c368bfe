// Package fuzzy finds rows of a list by a few letters of them.
package fuzzy

import (
	"cmp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/sahilm/fuzzy"
)

// Match is a row that matches a pattern.
type Match struct {
	Index int   // of the row
	At    []int // where the matched letters of its name begin, in bytes, in order; empty if only the rest matches

	score int
}

// The scores of a word are far apart, so that a name with the whole word is always before one with only its letters.
const (
	inRest  = -1 << 20
	inName  = 1 << 20
	atWord  = 2 << 20 // the name has it at the beginning of a word
	atStart = 3 << 20
)

// Find returns those of n rows that match a pattern, best first, and rows that match equally well in their order. Each
// word of the pattern must match: its letters are in the name in this order, or the rest has all of it. Case does not
// matter. A pattern without words matches every row. rest may be nil.
func Find(pattern string, n int, name, rest func(i int) string) []Match {
	found := make([]Match, n)
	for i := range found {
		found[i].Index = i
	}
	for word := range strings.FieldsSeq(pattern) {
		found = matchWord(word, found, name, rest)
	}
	slices.SortStableFunc(found, func(a, b Match) int { return cmp.Compare(b.score, a.score) })
	for i, m := range found {
		slices.Sort(m.At)
		found[i].At = slices.Compact(m.At)
	}
	return found
}

// matchWord returns the rows that match one more word.
func matchWord(word string, rows []Match, name, rest func(i int) string) (left []Match) {
	var loose []Match // the letters may be in the name, but not as one word
	for _, m := range rows {
		text := name(m.Index)
		if at, score := whole(text, word); at >= 0 {
			m.score += score - len(text)
			for i := range word {
				m.At = append(m.At, at+i)
			}
			left = append(left, m)
			continue
		}
		loose = append(loose, m)
	}
	letters := fuzzy.FindFromIterNoSort(word, func(yield func(string) bool) {
		for _, m := range loose {
			if !yield(name(m.Index)) {
				return
			}
		}
	})
	for i, m := range loose {
		switch {
		case len(letters) > 0 && letters[0].Index == i:
			m.score += letters[0].Score
			m.At = append(m.At, letters[0].MatchedIndexes...)
			letters = letters[1:]
		case rest != nil && contains(rest(m.Index), word):
			m.score += inRest
		default:
			continue
		}
		left = append(left, m)
	}
	slices.SortFunc(left, func(a, b Match) int { return cmp.Compare(a.Index, b.Index) })
	return left
}

// whole returns where a text has the word, preferably at the beginning of one of its words, or -1.
func whole(text, word string) (at, score int) {
	at = -1
	last := ' '
	for i, r := range text {
		if len(text)-i < len(word) {
			break
		}
		begins := !unicode.IsLetter(last) && !unicode.IsDigit(last) || unicode.IsLower(last) && unicode.IsUpper(r)
		last = r
		if at >= 0 && !begins || !strings.EqualFold(text[i:i+len(word)], word) {
			continue
		}
		switch {
		case i == 0:
			return 0, atStart
		case begins:
			return i, atWord
		}
		at, score = i, inName
	}
	return at, score
}

// contains reports whether a text has the word, whatever the case.
func contains(text, word string) bool {
	at, _ := whole(text, word)
	return at >= 0
}

// Letters returns the letters of a name that a match marks, as ranges of bytes.
func (m Match) Letters(name string) (ranges [][2]int) {
	for _, at := range m.At {
		_, size := utf8.DecodeRuneInString(name[min(at, len(name)):])
		if n := len(ranges); n > 0 && ranges[n-1][1] == at {
			ranges[n-1][1] = at + size
			continue
		}
		ranges = append(ranges, [2]int{at, at + size})
	}
	return ranges
}
