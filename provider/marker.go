package provider

import "strings"

// giveUp is how a model says that it cannot do what was asked: its answer starts with it. The system prompt tells it so.
const giveUp = "[cannot]"

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
	o.held += delta
	start := strings.TrimLeft(o.held, " \t\r\n")
	switch {
	case len(start) >= len(giveUp) && strings.EqualFold(start[:len(giveUp)], giveUp):
		rest := strings.TrimLeft(start[len(giveUp):], " \t\r\n:")
		if rest == "" {
			o.gaveUp = true // white space behind the marker may still come
			return ""
		}
		o.decided, o.gaveUp, o.held = true, true, ""
		return rest
	case len(start) < len(giveUp) && strings.EqualFold(start, giveUp[:len(start)]):
		return ""
	}
	return o.flush()
}

// flush returns what is still kept back at the end of the answer.
func (o *opening) flush() string {
	held := o.held
	o.decided, o.held = true, ""
	if o.gaveUp {
		return "" // the marker and nothing else
	}
	return held
}
