package repair

import "slices"

// nesting follows the brackets and strings of JSON, or of calls in Python, byte by byte. With checks it notices by the first key of the
// first object, and by a name behind it, that this is no call.
type nesting struct {
	depth   int
	quote   byte // the quote of the string that it is in, 0 outside
	escaped bool
	checks  bool
	known   func(name string) bool
	strings int       // how many strings began
	heads   [2]prefix // of the first two strings
	apart   bool      // something but a colon is between these two
}

// next takes the next byte. It returns on when that was the last one, never when this is no call, and wait otherwise.
func (n *nesting) next(c byte) step {
	if n.quote != 0 {
		return n.inString(c)
	}
	switch c {
	case '"', '\'':
		n.quote = c
		n.strings++
		return wait
	case '{', '[', '(':
		n.depth++
	case '}', ']', ')':
		n.depth--
		if n.depth <= 0 {
			return on
		}
	}
	return n.check(c)
}

// check looks at a byte outside of strings, at the beginning. A key may come without quotes.
func (n *nesting) check(c byte) step {
	key := &n.heads[0]
	switch {
	case !n.checks || n.strings > 1 || space(c):
	case n.strings == 1 && c != ':':
		n.apart = true
	case n.strings == 1:
	case letter(c):
		key.add(c)
	case c == ':' && key.n > 0:
		n.strings = 1
		return n.endString()
	case c != '{' && c != '[' || key.n > 0:
		return never
	}
	return wait
}

func (n *nesting) inString(c byte) step {
	switch {
	case n.escaped:
		n.escaped = false
	case c == '\\':
		n.escaped = true
	case c == n.quote:
		n.quote = 0
		return n.endString()
	}
	if n.checks && n.strings <= len(n.heads) {
		n.heads[n.strings-1].add(c)
	}
	return wait
}

// endString looks at the first two strings.
func (n *nesting) endString() step {
	key := n.heads[0].String()
	switch {
	case !n.checks:
	case n.strings == 1 && !slices.Contains(callKeys, key):
		return never
	case n.strings == 2 && !n.apart && slices.Contains(nameKeys, key) && !n.heads[1].long && !n.known(n.heads[1].String()):
		return never
	}
	return wait
}

// prefix is the beginning of a string.
type prefix struct {
	text [nameLimit]byte
	n    int
	long bool // there was more, or an escape
}

func (p *prefix) add(c byte) {
	if p.n == len(p.text) || c == '\\' {
		p.long = true
		return
	}
	p.text[p.n] = c
	p.n++
}

func (p *prefix) String() string { return string(p.text[:p.n]) }

func space(c byte) bool { return c == ' ' || c == '\t' || c == '\n' || c == '\r' }
