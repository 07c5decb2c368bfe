package repair

import "bytes"

const (
	gateLimit = 64 << 10 // bytes of a message with calls
	gateHead  = 512      // bytes of it that show at every piece whether it may be nothing but calls
)

// gate holds back a message that may be nothing but calls written as text. Many models print their calls, in the form
// of their own training, when the server does not know that form. Any other message passes as it arrives; at its end
// the gate returns the calls that stand among its words.
//
// A gate is for one message and one goroutine. How the text was cut into pieces makes no difference.
type gate struct {
	known func(name string) bool // reports whether a name is that of a tool
	text  []byte                 // the message, up to gateLimit and a byte
	look  int                    // bytes of it at which all of it is looked at again
	open  bool                   // everything passes
}

// next takes the next piece of the message, and returns what need not be held back any longer.
func (g *gate) next(delta string) (pass string) {
	held := len(g.text)
	g.text = append(g.text, delta[:min(gateLimit+1-held, len(delta))]...)
	if g.open {
		return delta
	}
	if len(g.text) <= gateLimit && g.mayBeCalls(held) {
		return ""
	}
	g.open = true
	return string(g.text[:held]) + delta
}

// mayBeCalls reports whether the message may be nothing but calls, when held bytes of it were there before. What stands
// behind the first item is read each time the message has doubled: all in all the message is read about twice.
func (g *gate) mayBeCalls(held int) bool {
	r := reader{known: g.known, text: g.text[:min(len(g.text), gateHead)]}
	if held < gateHead && !r.mayBegin() {
		return false
	}
	if len(g.text) < max(g.look, gateHead/4) {
		return true
	}
	g.look = 2 * len(g.text)
	r = reader{known: g.known, text: g.text}
	return r.mayGoOn()
}

// holds reports whether so much is held back that it looks like a call.
func (g *gate) holds() bool {
	const looks = 16 // bytes
	return !g.open && len(bytes.TrimSpace(g.text)) >= looks
}

// end returns the calls in the message, if there are any, and the text still held back. That text is nothing but the
// calls when these are the whole message.
func (g *gate) end() (found textCalls, held string) {
	if !g.open {
		held = string(g.text)
	}
	if len(g.text) <= gateLimit {
		found = find(g.text, g.known)
	}
	return found, held
}
