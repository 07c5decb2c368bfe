package config

import (
	"fmt"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/aloudchat/aloud/spelling"
)

// kind names a value of the file for people.
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

// span is what a value may be, both ends included.
type span[T int | time.Duration] struct{ least, most T }

func (s span[T]) String() string { return fmt.Sprintf("%v to %v", short(s.least), short(s.most)) }

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

// unlike is "" when the word is one of words, else the end of the sentence that says what it should be.
func unlike(word string, words []string) string {
	if slices.Contains(words, word) {
		return ""
	}
	if near := nearest(word, words); near != "" {
		return fmt.Sprintf("%q; did you mean %q?", word, near)
	}
	return fmt.Sprintf("%q; it must be %s", word, quoted(words))
}

// quoted lists words for a sentence: `"auto", "on" or "off"`.
func quoted(words []string) string {
	var b strings.Builder
	for i, w := range words {
		switch {
		case i == 0:
		case i == len(words)-1:
			b.WriteString(" or ")
		default:
			b.WriteString(", ")
		}
		fmt.Fprintf(&b, "%q", w)
	}
	return b.String()
}

// nearest finds the word that was probably meant, "" when none is near.
func nearest(word string, words []string) string {
	best, least := "", max(1, utf8.RuneCountInString(word)/3)+1
	for _, w := range words {
		d := spelling.Distance(strings.ToLower(word), w)
		if d > 0 && utf8.RuneCountInString(w) < 3 {
			continue // one letter of two is another word: "el" is not "en"
		}
		if d < least {
			best, least = w, d
		}
	}
	return best
}
