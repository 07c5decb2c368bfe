package repair

import "strings"

// line keeps book of where in its line a text is, and whether in a code fence. The zero value is the beginning of a text.
type line struct {
	fence  int  // the back quotes that opened the fence, 0 outside
	indent int  // spaces at the head of the line
	ticks  int  // back quotes at the head of the line
	inside bool // past the head
}

// starts reports whether the next byte is the first of a line.
func (l *line) starts() bool { return !l.inside && l.indent == 0 && l.ticks == 0 }

// fenced reports whether the next byte, which is no back quote, is in a code fence.
func (l *line) fenced() bool {
	after := *l
	after.enter()
	return after.fence > 0
}

// pass goes on over s.
func (l *line) pass(s string) {
	for s != "" {
		if l.inside {
			end := strings.IndexByte(s, '\n')
			if end < 0 {
				return
			}
			s = s[end:]
		}
		switch c := s[0]; {
		case c == '\n':
			l.enter()
			l.indent, l.ticks, l.inside = 0, 0, false
		case c == ' ' && l.ticks == 0 && l.indent < 3:
			l.indent++
		case c == '`':
			l.ticks++
		default:
			l.enter()
		}
		s = s[1:]
	}
}

// enter ends the head of the line, which may have been a fence.
func (l *line) enter() {
	if !l.inside && l.ticks >= 3 {
		switch {
		case l.fence == 0:
			l.fence = l.ticks
		case l.ticks >= l.fence:
			l.fence = 0
		}
	}
	l.inside = true
}
