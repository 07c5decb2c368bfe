package printed

import "bytes"

// gateLimit is how many bytes a message of nothing but calls may have.
const gateLimit = 64 << 10

// Gate holds back a message that may be nothing but calls written as text, until it is certain that it is not. Many models print their
// calls, in the form of their own training, when the server does not know that form. Only a message that is calls from end to end is taken
// for calls: anything else was meant to be read, and passes as it is.
//
// A Gate is for one message and one goroutine. How the text was cut into pieces makes no difference.
type Gate struct {
	scanner scanner
	open    bool // it is text: everything passes
}

// NewGate returns a gate. known reports whether a name is that of a tool; it must not change during the message.
func NewGate(known func(name string) bool) *Gate {
	return &Gate{scanner: scanner{known: known}}
}

// Next takes the next piece of the message, and returns what need not be held back any longer. Once something other than white space has
// passed, everything does.
func (g *Gate) Next(delta string) (pass string) {
	if g.open {
		return delta
	}
	held := len(g.scanner.text)
	room := gateLimit + 1 - held
	g.scanner.text = append(g.scanner.text, delta[:min(room, len(delta))]...)
	if g.scanner.advance(false) && len(g.scanner.text) <= gateLimit {
		return ""
	}
	return g.release() + delta[min(room, len(delta)):]
}

// Holds tells whether so much is held back that it looks like a call. A nil Gate holds nothing.
func (g *Gate) Holds() bool {
	const looks = 16 // bytes
	return g != nil && !g.open && len(bytes.TrimSpace(g.scanner.text)) >= looks
}

// End returns the calls that the message was, or else the text still held back. The gate is used up.
func (g *Gate) End() (calls []Call, rest string) {
	if g.open {
		return nil, ""
	}
	if g.scanner.advance(true) {
		calls = g.scanner.calls()
	}
	rest = g.release()
	if len(calls) > 0 {
		return calls, ""
	}
	return nil, rest
}

// release opens the gate.
func (g *Gate) release() string {
	text := string(g.scanner.text)
	g.open, g.scanner = true, scanner{}
	return text
}
