package fault

import "errors"

// lastWords is an error of a server with what it wrote for people before.
type lastWords struct {
	error
	words []string
}

func (e *lastWords) Unwrap() error { return e.error }

// WithLastWords keeps what a server wrote for people with an error of it.
func WithLastWords(err error, words []string) error { return &lastWords{err, words} }

// LastWords are those that were kept with an error; nil: there are none.
func LastWords(err error) []string {
	if last, ok := errors.AsType[*lastWords](err); ok {
		return last.words
	}
	return nil
}
