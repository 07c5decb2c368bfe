// Package suggest finds the word that was meant by a misspelled one.
package suggest

import (
	"strings"
	"unicode/utf8"

	"github.com/agnivade/levenshtein"
)

// Nearest returns the most similar of words, which are in lower case, or "" if more than half of the letters differ.
func Nearest(word string, words []string) string {
	best, least := "", max(1, utf8.RuneCountInString(word)/2)+1
	for _, w := range words {
		if d := levenshtein.ComputeDistance(strings.ToLower(word), w); d < least {
			best, least = w, d
		}
	}
	return best
}
