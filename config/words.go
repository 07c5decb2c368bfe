package config

import (
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/agnivade/levenshtein"

	"github.com/aloudchat/aloud/internal/sanitize"
)

// kind describes the type of a value in errors.
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

var zeroParts = sanitize.Pattern(`([hm])(?:0m)?0s$`)

// short formats a value like fmt.Sprint, but durations without zero parts: "2m" instead of "2m0s".
func short(v any) string { return zeroParts().ReplaceAllString(fmt.Sprint(v), "$1") }

// oneOf checks that word is one of words. The error continues a sentence that begins with the key.
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

// elsewhere has the names of keys in other programs.
var elsewhere = map[string]string{
	"type": "transport", "headers": "http_headers", "httpUrl": "url", "serverUrl": "url",
	"includeTools": "enabled_tools", "excludeTools": "disabled_tools",
}

// nearest returns the most similar of words, or "" if none is similar.
func nearest(word string, words []string) string {
	best, least := "", max(1, utf8.RuneCountInString(word)/2)+1
	for _, w := range words {
		if d := levenshtein.ComputeDistance(strings.ToLower(word), w); d < least {
			best, least = w, d
		}
	}
	return best
}
