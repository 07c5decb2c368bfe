package loop

import (
	"strings"
)

// giveUp is how a model says that it cannot do what was asked: its answer starts with it. The system prompt tells it so.
const giveUp = "[cannot]"

// mostHeld bounds how many bytes of white space in front of an answer are kept back.
const mostHeld = 256

// opening watches the first bytes of an answer and keeps them back until it is certain that they are not the give-up marker,
// so that no piece of it is ever shown. The zero value is ready.
type opening struct {
	held    string // seen, not passed on
	decided bool
	gaveUp  bool // the answer began with the marker
}

// next takes a piece of the answer and returns what of the answer so far may be passed on.
func (o *opening) next(delta string) string {
	if o.decided {
		return delta
	}
	if o.gaveUp {
		return o.reason(delta)
	}
	o.held += delta
	start := strings.TrimLeft(o.held, " \t\r\n")
	switch {
	case len(start) >= len(giveUp) && strings.EqualFold(start[:len(giveUp)], giveUp):
		o.gaveUp, o.held = true, ""
		return o.reason(start[len(giveUp):])
	case len(start) < len(giveUp) && strings.EqualFold(start, giveUp[:len(start)]) && len(o.held) <= mostHeld:
		return ""
	}
	return o.flush()
}

// reason takes what comes behind the marker, without the white space and the colon in between.
func (o *opening) reason(delta string) string {
	delta = strings.TrimLeft(delta, " \t\r\n:")
	o.decided = delta != ""
	return delta
}

// flush returns what is still kept back at the end of the answer.
func (o *opening) flush() string {
	held := o.held
	o.decided, o.held = true, ""
	return held
}
