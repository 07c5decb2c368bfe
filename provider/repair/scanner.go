package repair

import "bytes"

// form is what an item of a message of calls is.
type form int

const (
	jsonItem  form = iota // {"name": …}, or a list of these
	namedItem             // a name, and behind it its arguments as JSON
	xmlItem               // <function=name><parameter=x>value</parameter></function>
	pyItem                // name(x="value"), or a list of these
)

// item is one stretch of a message that is a call, or several.
type item struct {
	form     form
	name     string // of a namedItem and an xmlItem
	from, to int
	start    int // of its text, which may begin with the name
}

// scanner cuts a message into items as it arrives, and notices at once when it is anything but calls. It reads every byte about once.
type scanner struct {
	known  func(name string) bool
	text   []byte
	pos    int // all before it is understood
	items  []item
	fenced bool // in a code fence
	named  bool // what comes next may be a name
	among  bool // there are other words: a call has to say its arguments
	name   string
	start  int                               // of the text of the call that name belongs to
	in     func(s *scanner, final bool) step // what reads the item that was begun, nil between items
	nest   nesting
	xml    xmlBody
}

// step is how reading went on.
type step int

const (
	on    step = iota // something was read
	wait              // more text is needed
	never             // this is no message of calls
)

// advance reads what can be read, and reports whether the text may still be calls. When it is final, there is no more to come.
func (s *scanner) advance(final bool) bool {
	for {
		read := (*scanner).between
		if s.in != nil {
			read = s.in
		}
		switch read(s, final) {
		case wait:
			return true
		case never:
			return false
		}
	}
}

// between reads on between two items.
func (s *scanner) between(final bool) step {
	s.skip(" \t\r\n;,")
	rest := s.text[s.pos:]
	if len(rest) == 0 {
		return wait
	}
	switch c := rest[0]; {
	case c == '{':
		return s.begin(jsonItem, s.pos, (*scanner).inJSON)
	case c == '[':
		return s.bracket(rest, final)
	case c == '<':
		return s.tag(rest, final)
	case c == '`':
		return s.fence(rest, final)
	case (c == '}' || c == ']') && len(s.items) > 0:
		s.pos++ // one too many is a common slip
		return on
	case letter(c):
		return s.word(rest, final)
	}
	return never
}

func (s *scanner) skip(set string) {
	s.pos = len(s.text) - len(bytes.TrimLeft(s.text[s.pos:], set))
}

// begin begins an item whose text is from there on.
func (s *scanner) begin(f form, from int, in func(*scanner, bool) step) step {
	if s.name == "" {
		s.start = from
	}
	s.items = append(s.items, item{form: f, name: s.name, from: from, start: s.start})
	s.in, s.nest, s.xml, s.name, s.named = in, nesting{checks: f == jsonItem, known: s.known}, xmlBody{}, "", false
	return on
}

// end ends the item at the position.
func (s *scanner) end() step {
	s.items[len(s.items)-1].to = s.pos
	s.in = nil
	return on
}

// inJSON reads on in an item that ends where its brackets do.
func (s *scanner) inJSON(final bool) step {
	for s.pos < len(s.text) {
		switch s.nest.next(s.text[s.pos]) {
		case never:
			return never
		case wait: // inside still
			s.pos++
		case on:
			s.pos++
			return s.end()
		}
	}
	switch {
	case !final:
		return wait
	case s.nest.quote != 0:
		return never // cut off within a string: half of what was meant is worse than nothing
	}
	return s.end()
}

const (
	functools = "functools" // stands before the list of calls of the Phi models
	nameLimit = 128         // bytes of the longest name of a tool
)

// word reads a name: of a tool where one may stand, or functools. Among words a tool may also be called as in Python, but not in a fence: that is code.
func (s *scanner) word(rest []byte, final bool) step {
	name, next, enough := nameAt(rest)
	switch {
	case !enough && final || len(name) > nameLimit:
		return never
	case !enough && (s.named || bytes.HasPrefix([]byte(functools), name)):
		return wait
	case next == '[' && string(name) == functools:
		s.pos += len(name)
		return on
	case !s.named && (!s.among || s.fenced || next != '('):
		return never
	}
	switch next {
	case '(':
		if !s.known(pythonName(name)) {
			return never
		}
		return s.begin(pyItem, s.pos, (*scanner).inJSON)
	case '{':
		return s.beginNamed(string(name), s.pos+len(name))
	case '[':
		const mark = "[ARGS]"
		after := rest[len(name):]
		if len(after) < len(mark) && bytes.HasPrefix([]byte(mark), after) && !final {
			return wait
		}
		if bytes.HasPrefix(after, []byte(mark)) {
			return s.beginNamed(string(name), s.pos+len(name)+len(mark))
		}
	}
	return never
}

// beginNamed begins the arguments of a tool, which must be an object.
func (s *scanner) beginNamed(name string, at int) step {
	if !s.known(name) {
		return never
	}
	s.name, s.start, s.pos = name, s.pos, at
	s.in = func(s *scanner, _ bool) step {
		s.skip(white)
		switch {
		case s.pos == len(s.text):
			return wait
		case s.text[s.pos] == '{':
			return s.begin(namedItem, s.pos, (*scanner).inJSON)
		}
		return never
	}
	return on
}

// bracket reads what begins with one: a list of objects, a list of calls as Python writes them, or the mark of the Mistral models.
func (s *scanner) bracket(rest []byte, final bool) step {
	inside := bytes.TrimLeft(rest[1:], white)
	switch {
	case len(rest)-len(inside) > nameLimit:
		return never // the white space is read again with every piece, so there is an end to it
	case len(inside) == 0:
		return waitUnless(final)
	case inside[0] == '{':
		return s.begin(jsonItem, s.pos, (*scanner).inJSON)
	}
	name, next, enough := nameAt(bytes.TrimPrefix(inside, []byte("/")))
	switch {
	case len(name) > nameLimit || len(name) > 0 && !letter(name[0]):
		return never
	case !enough:
		return waitUnless(final)
	case next == ']' && string(name) == "TOOL_CALLS":
		s.pos += bytes.IndexByte(rest, ']') + 1
		s.named = true
		return on
	case next == '(' && s.known(pythonName(name)):
		return s.begin(pyItem, s.pos, (*scanner).inJSON)
	}
	return never
}

func waitUnless(final bool) step {
	if final {
		return never
	}
	return wait
}

// nameAt reads the name at the beginning of text, and what follows it. It is not enough text when the name may go on.
func nameAt(text []byte) (name []byte, next byte, enough bool) {
	for i, c := range text {
		if !letter(c) && (c < '0' || c > '9') && c != '.' && c != '-' && c != '/' && c != ':' {
			return text[:i], c, true
		}
		if i > nameLimit {
			break
		}
	}
	return text, 0, false
}

func letter(c byte) bool { return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c == '_' }
