package config

import (
	"fmt"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/agnivade/levenshtein"
)

// kind names the type of a value for an error.
func kind(v any) string {
	switch v.(type) {
	case string:
		return "a string"
	case bool:
		return "true or false"
	case int64:
		return "a whole number"
	case float64:
		return "a number"
	case []any:
		return "an array"
	case map[string]any:
		return "a table"
	default:
		return "a date or time"
	}
}

// short writes a duration without its zero parts, "2m" and not "2m0s", and everything else as it is.
func short(v any) string {
	s := fmt.Sprint(v)
	if d, ok := v.(time.Duration); ok && d >= time.Minute {
		if strings.HasSuffix(s, "m0s") {
			s = strings.TrimSuffix(s, "0s")
		}
		if strings.HasSuffix(s, "h0m") {
			s = strings.TrimSuffix(s, "0m")
		}
	}
	return s
}

// oneOf checks that a word is one of several. The error finishes a sentence that begins with the key.
func oneOf(word string, words []string) error {
	if slices.Contains(words, word) {
		return nil
	}
	if near := nearest(word, words); near != "" {
		return fmt.Errorf("is %q; did you mean %q?", word, near)
	}
	var quoted []string
	for _, w := range words {
		quoted = append(quoted, fmt.Sprintf("%q", w))
	}
	last := len(words) - 1
	list := quoted[last]
	if last > 0 {
		list = strings.Join(quoted[:last], ", ") + " or " + list
	}
	return fmt.Errorf("is %q; it must be %s", word, list)
}

// nearest finds the word that was probably meant, "" when none is near.
func nearest(word string, words []string) string {
	best, least := "", max(1, utf8.RuneCountInString(word)/2)+1
	for _, w := range words {
		d := levenshtein.ComputeDistance(strings.ToLower(word), w)
		if d > 0 && utf8.RuneCountInString(w) < 3 {
			continue // one letter of two is another word: "el" is not "en"
		}
		if d < least {
			best, least = w, d
		}
	}
	return best
}
