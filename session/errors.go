package session

import (
	"errors"
	"fmt"

	"github.com/aloudchat/aloud/atomicfile"
)

// ErrInUse is matched by errors about a session that another process writes.
var ErrInUse = errors.New("the session is in use")

// said is an error in its own words that errors.Is takes for its kind.
type said struct {
	words string
	kind  error
}

func (e said) Error() string { return e.words }
func (e said) Unwrap() error { return e.kind }

func say(kind error, format string, args ...any) error {
	return said{fmt.Sprintf(format, args...), kind}
}

func unreadable(id string, err error) error {
	return say(err, "session %q cannot be read: %v", id, atomicfile.Cause(err))
}

// errNewer is about a file of a later format. It follows the name of the session.
func errNewer(format int) error {
	return fmt.Errorf("was written by a newer aloud (format %d, this one reads %d); update aloud to open it", format, version)
}
