package repair

import "bytes"

const (
	gateLimit = 64 << 10 // bytes of a message with calls
	gateHead  = 512      // bytes of it that are checked at every piece
)

// gate holds back a message that may consist of calls written as text. Many models write calls in a form that the
// server may not support. Other messages pass as they arrive. At the end, the gate returns the calls in the message.
//
// A gate is for one message and one goroutine. The result does not depend on how the text is cut into pieces.
type gate struct {
	known   func(name string) bool // reports whether a tool has this name
	text    []byte                 // the message, up to gateLimit and one byte
	checkAt int                    // length of text at which all of it is checked again
	open    bool                   // everything passes

	searchAt int // length of text at which it is searched for babble again
}

// next adds the next piece of the message and returns the text to pass on.
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

// mayBeCalls reports whether the message may consist of calls. held is its length without the last piece. The whole
// text is checked each time its length has doubled, so it is parsed about twice in total.
func (g *gate) mayBeCalls(held int) bool {
	r := reader{known: g.known, text: g.text[:min(len(g.text), gateHead)]}
	if held < gateHead && !r.mayBegin() {
		return false
	}
	if len(g.text) < max(g.checkAt, gateHead/4) {
		return true
	}
	g.checkAt = 2 * len(g.text)
	r = reader{known: g.known, text: g.text}
	return r.mayGoOn()
}

// holds reports whether the gate holds back enough to look like a call.
func (g *gate) holds() bool {
	const minCall = 16 // bytes
	return !g.open && len(bytes.TrimSpace(g.text)) >= minCall
}

// end returns the calls in the message and the text that is still held back. cut tells that aloud has cut the message.
func (g *gate) end(cut bool) (found textCalls, held string) {
	if !g.open {
		held = string(g.text)
	}
	if len(g.text) <= gateLimit {
		found = find(g.text, g.known, cut)
	}
	return found, held
}
