package config

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/aloudchat/aloud/internal/sanitize"
	"github.com/aloudchat/aloud/internal/suggest"
)

// Error is one mistake in the configuration.
type Error struct {
	File   string // "" for a flag or an environment variable
	Line   int    // from 1, 0 for the whole file
	Column int    // from 1, in characters
	Text   string
	Err    error // the cause, may be nil
}

// Error returns a line like `config.toml:12:3: unknown key "itterations" in [limits]; did you mean "iterations"?`.
func (e *Error) Error() string {
	switch {
	case e.File == "":
		return e.Text
	case e.Line == 0:
		return e.File + ": " + e.Text
	default:
		return fmt.Sprintf("%s:%d:%d: %s", e.File, e.Line, e.Column, e.Text)
	}
}

func (e *Error) Unwrap() error { return e.Err }

// join returns the mistakes as one error, in the order of the file, or nil for no mistakes.
func join(mistakes []*Error) error {
	slices.SortStableFunc(mistakes, func(a, b *Error) int {
		return cmp.Or(strings.Compare(a.File, b.File), a.Line-b.Line, a.Column-b.Column)
	})
	var errs []error
	for i, m := range mistakes {
		if i == 0 || m.Error() != mistakes[i-1].Error() { // the flag --host sets two keys
			errs = append(errs, m)
		}
	}
	return errors.Join(errs...)
}

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
	if near := suggest.Nearest(word, words); near != "" {
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
