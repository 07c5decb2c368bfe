package config

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"
)

// Error is one mistake in the configuration, said in one sentence. It is matched with errors.As.
type Error struct {
	File   string // "" when the mistake is in a flag or the environment
	Line   int    // from 1; 0: the whole file
	Column int    // from 1, in characters
	Text   string // what is wrong and what would be right
	Err    error  // the cause, or nil
}

// Error gives `config.toml:12:3: unknown key "itterations" in [limits]; did you mean "iterations"?`.
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

// join puts the first ten mistakes in the order of the file into one error, nil when there are none.
func join(mistakes []*Error) error {
	const most = 10
	slices.SortStableFunc(mistakes, func(a, b *Error) int {
		return cmp.Or(strings.Compare(a.File, b.File), a.Line-b.Line, a.Column-b.Column)
	})
	mistakes = slices.CompactFunc(mistakes, func(a, b *Error) bool { return a.Error() == b.Error() }) // --host sets two keys
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
