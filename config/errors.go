package config

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"
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
