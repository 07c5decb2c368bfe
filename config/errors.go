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

// join returns the first ten mistakes as one error, in the order of the file. It returns nil for no mistakes.
func join(mistakes []*Error) error {
	const most = 10
	slices.SortStableFunc(mistakes, func(a, b *Error) int {
		return cmp.Or(strings.Compare(a.File, b.File), a.Line-b.Line, a.Column-b.Column)
	})
	// The flag --host sets two keys, so its mistakes come twice.
	mistakes = slices.CompactFunc(mistakes, func(a, b *Error) bool { return a.Error() == b.Error() })
	var errs []error
	for i, m := range mistakes {
		if i == most {
			errs = append(errs, &Error{File: m.File, Text: fmt.Sprintf("%d more mistakes", len(mistakes)-most)})
			break
		}
		errs = append(errs, m)
	}
	return errors.Join(errs...)
}
