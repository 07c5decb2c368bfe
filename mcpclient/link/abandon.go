package link

import (
	"context"
	"errors"
	"time"
)

var (
	// ErrUnconfirmed is the error of a call that was given up while its server may still be working on it: the server could not be told, did not
	// take it in, or is busy with other things.
	ErrUnconfirmed = errors.New("the server may still be working on it")

	// ErrUnasked is the error of a call that was given up before anything of it went out: its server knows nothing of it.
	ErrUnasked = errors.New("the server was not asked yet")
)

// confirmTime is how long a call that was given up waits for the server to let go of it. Somebody waits for the call's end.
const confirmTime = 500 * time.Millisecond

// givenUpError is why a call was given up, and matches what is known of its server, too: ErrUnconfirmed or ErrUnasked.
type givenUpError struct{ cause, known error }

func (e *givenUpError) Error() string   { return e.cause.Error() + "; " + e.known.Error() }
func (e *givenUpError) Unwrap() []error { return []error{e.cause, e.known} }

// abandoned is the error of a call whose context has ended. It waits a moment for what is left of the call: a server that was told, and one that
// runs in here and has returned, is through with it as far as anybody knows.
func abandoned(ctx context.Context, rest <-chan outcome) error {
	patience := time.NewTimer(confirmTime)
	defer patience.Stop()
	select {
	case o := <-rest:
		if known := fate(o.err); known != nil {
			return &givenUpError{ctx.Err(), known}
		}
		return ctx.Err()
	case <-patience.C:
		return &givenUpError{ctx.Err(), ErrUnconfirmed}
	}
}

// fate is what is known of the server of a call that was given up; nil: it was told.
func fate(err error) error {
	for _, known := range []error{ErrUnasked, ErrUnconfirmed} {
		if errors.Is(err, known) {
			return known
		}
	}
	return nil
}
