package repair

import "strings"

// textCalls is what a message has in the way of calls: one block of them, and the words around it.
type textCalls struct {
	Calls         []textCall // none: there is no such block
	Before, After string
}

// alone reports whether the calls are the whole message.
func (f textCalls) alone() bool { return strings.TrimSpace(f.Before+f.After) == "" }

// find looks for the first block of calls in a message that has other words too. Unlike a message of nothing but calls the block has to be
// complete: a call that lacks its end may only be hinted at.
func find(text []byte, known func(name string) bool) textCalls {
	const tries = 30 // each may read the message to its end
	head := true     // of a line: only white space so far
	for at, tried := 0, 0; at < len(text) && tried < tries; at++ {
		c := text[at]
		if strings.IndexByte("{[<`", c) >= 0 || head && beginsPython(text[at:], known) {
			tried++
			if calls, end := blockAt(text[at:], known); len(calls) > 0 {
				return textCalls{calls, string(text[:at]), string(text[at+end:])}
			}
		}
		head = c == '\n' || head && space(c)
	}
	return textCalls{}
}

// beginsPython reports whether text begins with a call of a tool as Python writes it.
func beginsPython(text []byte, known func(name string) bool) bool {
	if !letter(text[0]) {
		return false
	}
	name, next, _ := nameAt(text)
	return next == '(' && known(pythonName(name))
}

// blockAt returns the calls that text begins with, and where the words behind them begin.
func blockAt(text []byte, known func(name string) bool) (calls []textCall, end int) {
	s := scanner{known: known, text: text, among: true}
	s.advance(false)
	if n := len(s.items); s.in != nil && n > 0 && s.items[n-1].to == 0 { // the last one is not complete, or no call
		s.pos, s.in, s.items = s.items[n-1].start, nil, s.items[:n-1]
	}
	if s.fenced && strings.TrimSpace(string(text[s.pos:])) != "" {
		return nil, 0 // there are other things in the fence
	}
	return s.calls(), s.pos
}
