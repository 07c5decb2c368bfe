package loop

import (
	"strings"
)

// giveUp begins an answer in which the model says that it cannot do what was asked. The system prompt asks for it.
const giveUp = "[cannot]"

// maxHeld limits the white space before an answer that is held back, in bytes.
const maxHeld = 256

// opening holds back the first bytes of an answer until they cannot be the give-up marker, so that no part of the
// marker is shown. The zero value is ready to use.
type opening struct {
	held    string // not passed on yet
	decided bool
	gaveUp  bool // the answer began with the marker
}

// next takes a piece of the answer and returns what may be passed on.
func (o *opening) next(delta string) string {
	if o.decided {
		return delta
	}
	if o.gaveUp {
		return o.afterMarker(delta)
	}
	o.held += delta
	start := strings.TrimLeft(o.held, " \t\r\n")
	switch {
	case len(start) >= len(giveUp) && strings.EqualFold(start[:len(giveUp)], giveUp):
		o.gaveUp, o.held = true, ""
		return o.afterMarker(start[len(giveUp):])
	case len(start) < len(giveUp) && strings.EqualFold(start, giveUp[:len(start)]) && len(o.held) <= maxHeld:
		return ""
	}
	return o.flush()
}

// afterMarker returns what follows the marker, without leading white space and colon.
func (o *opening) afterMarker(delta string) string {
	delta = strings.TrimLeft(delta, " \t\r\n:")
	o.decided = delta != ""
	return delta
}

// flush returns the held text at the end of the answer.
func (o *opening) flush() string {
	held := o.held
	o.decided, o.held = true, ""
	return held
}
