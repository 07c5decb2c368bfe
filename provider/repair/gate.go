package repair

import "bytes"

// gateLimit is how many bytes a message with calls may have.
const gateLimit = 64 << 10

// gate holds back a message that may be nothing but calls written as text, until it is certain that it is not. Many models print their
// calls, in the form of their own training, when the server does not know that form. A message with other words in it passes as it arrives;
// at its end the gate says which calls stand among the words.
//
// A gate is for one message and one goroutine. How the text was cut into pieces makes no difference.
type gate struct {
	scanner scanner
	text    []byte // the beginning of a message that passes
	open    bool   // it is text: everything passes
}

// newGate returns a gate. known reports whether a name is that of a tool; it must not change during the message.
func newGate(known func(name string) bool) *gate {
	return &gate{scanner: scanner{known: known}}
}

// next takes the next piece of the message, and returns what need not be held back any longer. Once something other than white space has
// passed, everything does.
func (g *gate) next(delta string) (pass string) {
	if g.open {
		g.text = append(g.text, delta[:min(gateLimit+1-len(g.text), len(delta))]...)
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

// holds reports whether so much is held back that it looks like a call.
func (g *gate) holds() bool {
	const looks = 16 // bytes
	return !g.open && len(bytes.TrimSpace(g.scanner.text)) >= looks
}

// end returns the calls in the message, if there are any, and the text still held back. That text is nothing but the calls when these are the
// whole message. The gate is used up.
func (g *gate) end() (found textCalls, held string) {
	if !g.open && g.scanner.advance(true) {
		found.Calls = g.scanner.calls()
	}
	held = g.release()
	if len(found.Calls) == 0 && len(g.text) <= gateLimit {
		found = find(g.text, g.scanner.known)
	}
	return found, held
}

// release opens the gate, and returns what was held back.
func (g *gate) release() string {
	if g.open {
		return ""
	}
	g.open, g.text, g.scanner = true, g.scanner.text, scanner{known: g.scanner.known}
	return string(g.text)
}
