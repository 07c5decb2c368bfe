//go:build unix

package screen

import (
	"io"
	"os"
	"time"

	"golang.org/x/sys/unix"
)

// sequenceTime is the maximum time between the first byte of an escape sequence and the rest. Terminals write a
// sequence at once, and programs such as tmux pass it on in at most two writes. If this is too short, alt+q is read
// as esc and q.
const sequenceTime = 500 * time.Microsecond

// escapeKey is the escape key in the kitty keyboard protocol: a sequence that cannot be the beginning of another.
const escapeKey = "\x1b[27u"

// quickEscape reads a terminal and reports the escape key at once. Bubble Tea waits 50 ms for the rest of a sequence,
// which delays stopping an answer, and has no setting for it.
type quickEscape struct{ *os.File }

// keyboard returns standard input for the chat.
func keyboard() io.Reader { return quickEscape{os.Stdin} }

func (q quickEscape) Read(p []byte) (int, error) {
	n, err := q.File.Read(p)
	if n == 1 && p[0] == '\x1b' && err == nil && len(p) >= len(escapeKey) && !q.more() {
		return copy(p, escapeKey), nil
	}
	return n, err
}

// more reports whether another byte arrives within sequenceTime.
func (q quickEscape) more() bool {
	var in unix.FdSet
	fd, wait := int(q.Fd()), unix.NsecToTimeval(sequenceTime.Nanoseconds())
	in.Set(fd)
	ready, err := unix.Select(fd+1, &in, nil, nil, &wait)
	return err != nil || ready > 0
}
