package link

import (
	"context"
	"errors"
	"time"
)

// ErrUnconfirmed is the error of a call that was given up while its server may still be working on it: the server could not be told, did not take
// it in, or is busy with other things.
var ErrUnconfirmed = errors.New("the server may still be working on it")

// confirmTime is how long a call that was given up waits for the server to let go of it. Somebody waits for the call's end.
const confirmTime = 500 * time.Millisecond

// unconfirmedError is why a call was given up, and matches ErrUnconfirmed, too.
type unconfirmedError struct{ cause error }

func (e *unconfirmedError) Error() string   { return e.cause.Error() + "; " + ErrUnconfirmed.Error() }
func (e *unconfirmedError) Unwrap() []error { return []error{e.cause, ErrUnconfirmed} }

// abandoned is the error of a call whose context has ended. It waits a moment for what is left of the call: a server that was told, and one that
// runs in here and has returned, has let go of it.
func abandoned(ctx context.Context, rest <-chan outcome) error {
	patience := time.NewTimer(confirmTime)
	defer patience.Stop()
	select {
	case o := <-rest:
		if errors.Is(o.err, ErrUnconfirmed) {
			return &unconfirmedError{ctx.Err()}
		}
		return ctx.Err()
	case <-patience.C:
		return &unconfirmedError{ctx.Err()}
	}
}
