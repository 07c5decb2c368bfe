package repair

import "strings"

// tagNames are the tags between which models think. Their case does not matter.
var tagNames = [...]string{"think", "thinking", "reasoning"}

// tags splits the thinking that a model writes into its answer from the answer. An opening tag counts where a message begins and at the
// beginning of a line outside a code fence, so that a tag in a sentence stays text. What is never closed is thinking to the end.
// The tags themselves and the white space behind them are dropped. How the text was cut into pieces makes no difference.
//
// The zero value is ready for one message. tags are for one goroutine.
type tags struct {
	held   string // the end of what came, as long as it may become a tag
	open   string // the tag that is open, "" for none
	nested int    // how often the open tag was opened again: as many closing tags too many are expected
	skip   bool   // white space is dropped until something else comes
	seen   bool   // there was a tag
	stray  bool   // the first tag was a closing one: all that was emitted before it as text was thinking
	begun  bool   // there was text since the message began or thinking ended
	line   line
}

// next takes the next piece of the message and emits what is certain of it, never an empty string. It holds back less than 20 bytes.
func (t *tags) next(delta string, emit func(text string, thinking bool)) {
	if t.held != "" {
		delta, t.held = t.held+delta, ""
	}
	t.split(delta, false, emit)
}

// flush emits what was held back, at the end of the message.
func (t *tags) flush(emit func(text string, thinking bool)) {
	held := t.held
	t.held = ""
	t.split(held, true, emit)
}

// split emits s but for its end where that may still become a tag.
func (t *tags) split(s string, final bool, emit func(string, bool)) {
	for s != "" {
		if t.skip {
			s = strings.TrimLeft(s, white)
			if s == "" {
				return
			}
			t.skip = false
		}
		at, length, verdict := t.find(s, final)
		if at > 0 {
			emit(s[:at], t.open != "")
		}
		switch s = s[at:]; verdict {
		case undecided:
			t.held = s
			return
		case opens:
			t.opened(s[1 : length-1])
		case closes:
			t.closed()
		}
		s = s[length:]
	}
}

const white = " \t\r\n"

type verdict int

const (
	plain     verdict = iota // nothing here is a tag that counts
	undecided                // it may become one
	opens
	closes
)

// find finds the first tag that counts, or may come to count, and keeps book of the lines before it.
func (t *tags) find(s string, final bool) (at, length int, v verdict) {
	for {
		found := strings.IndexByte(s[at:], '<')
		if found < 0 {
			t.pass(s[at:])
			return len(s), 0, plain
		}
		t.pass(s[at : at+found])
		at += found
		if length, v = t.judge(s[at:], final); v != plain {
			return at, length, v
		}
		t.pass("<")
		at++
	}
}

// pass keeps book of text that is no tag.
func (t *tags) pass(s string) {
	if !t.begun {
		t.begun = strings.TrimLeft(s, white) != ""
	}
	t.line.pass(s)
}

// judge says what the tag at the beginning of s is, and how long.
func (t *tags) judge(s string, final bool) (length int, v verdict) {
	if t.open == "" && t.line.fenced() {
		return 0, plain
	}
	name, length, closing, complete := tagAt(s)
	if name == "" || t.open != "" && complete && name != t.open {
		return 0, plain
	}
	v = t.weigh(s[length:], closing, final)
	if complete {
		return length, v
	}
	if s == "<" && v == plain {
		v = t.weigh("", true, final) // it may become a closing one as well
	}
	if final || v == plain {
		return 0, plain
	}
	return 0, undecided
}

// weigh says whether a tag counts here, followed by rest.
func (t *tags) weigh(rest string, closing, final bool) verdict {
	starts := !t.begun || t.line.starts()
	switch {
	case !closing && starts:
		return opens
	case !closing:
		return plain
	case t.open != "" || t.nested > 0 || t.seen && !t.begun || !t.seen && starts:
		return closes
	case t.seen:
		return plain
	case rest == "" && !final:
		return undecided
	case rest == "" || rest[0] == '\n' || rest[0] == '\r':
		return closes // DeepSeek-R1 closes what its template opened at the end of a line
	}
	return plain
}

func (t *tags) opened(name string) {
	if t.open != "" {
		t.nested++
	}
	t.open = canonical(name)
	t.seen, t.skip, t.begun, t.line = true, true, false, line{}
}

func (t *tags) closed() {
	switch {
	case t.open == "" && !t.seen:
		t.stray = true
	case t.open == "" && t.nested > 0:
		t.nested--
	}
	t.open = ""
	t.seen, t.skip, t.begun, t.line = true, true, false, line{}
}

// tagAt reads the tag at the beginning of s. One that ends before it is complete has the name of the first tag it can become.
func tagAt(s string) (name string, length int, closing, complete bool) {
	word := s[1:]
	if strings.HasPrefix(word, "/") {
		word, closing = word[1:], true
	}
	if end := strings.IndexByte(word, '>'); end >= 0 {
		name = canonical(word[:end])
		return name, len(s) - len(word) + end + 1, closing, true
	}
	for _, name := range tagNames {
		if len(word) <= len(name) && strings.EqualFold(word, name[:len(word)]) {
			return name, len(s), closing, false
		}
	}
	return "", 0, false, false
}

// canonical is the name of a tag as tagNames has it, "" for any other.
func canonical(word string) string {
	for _, name := range tagNames {
		if len(word) == len(name) && strings.EqualFold(word, name) {
			return name
		}
	}
	return ""
}
