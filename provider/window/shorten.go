package window

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"
)

const (
	least   = 5  // bytes of the shortest thing that can stand for a value: "…"
	marked  = 64 // bytes that a place with a note of what is left out may take
	enough  = 32 // bytes in which a value still says something
	fewest  = 8  // items of an array up to which all are shown rather than the first and the last
	nothing = `"…"`
)

// trimJSON makes a JSON text fit limit, or 64 bytes if that is more. ok is false when text is not JSON.
func trimJSON(text string, limit int) (kept string, ok bool) {
	s, ok := look(text)
	if !ok {
		return "", false
	}
	for room := max(limit, marked); ; room /= 3 {
		w := shortener{survey: s}
		w.top(room)
		kept = strings.ToValidUTF8(string(w.out), broken)
		if len(kept) <= max(limit, marked) { // else it had so many bytes that are no characters that it grew
			return kept, true
		}
	}
}

// shortener writes values shorter than they are.
type shortener struct {
	*survey
	out []byte
}

// top writes all of the text in at most room bytes.
func (w *shortener) top(room int) {
	i := w.skip(0)
	if w.values == 1 {
		end, size := w.measure(i)
		w.value(member{start: i, end: end, size: size}, room, 0)
		return
	}
	w.container('\n', i, w.size+w.values-1, room, 0)
}

// value writes the value of m in at most room bytes, or least if that is more.
func (w *shortener) value(m member, room, depth int) {
	if m.size <= max(room, least) {
		w.whole(w.text[m.start:m.end])
		return
	}
	switch c := w.text[m.start]; c {
	case '{', '[':
		w.container(c, m.start+1, m.size, room, depth)
	case '"':
		w.string(w.text[m.start:m.end], room)
	default:
		w.note(room, "… a number of %d characters …", m.size)
	}
}

// whole writes a value without white space between its parts.
func (w *shortener) whole(text string) {
	for i := 0; i < len(text); {
		switch c := text[i]; {
		case c == '"':
			end := endOf(text, i)
			w.out = append(w.out, text[i:end]...)
			i = end
			continue
		case !isWhite(c):
			w.out = append(w.out, c)
		}
		i++
	}
}

// note writes a string that says something, or the shortest.
func (w *shortener) note(room int, format string, args ...any) {
	if text := `"` + fmt.Sprintf(format, args...) + `"`; len(text) <= room {
		w.out = append(w.out, text...)
		return
	}
	w.out = append(w.out, nothing...)
}

// container writes the object, array or lines whose inside begins at i. Whatever comes of it, it is not longer than room.
func (w *shortener) container(kind byte, i, size, room, depth int) {
	if depth >= levels || room < marked {
		w.note(room, "… %d bytes left out …", size)
		return
	}
	before := len(w.out)
	c := container{kind: kind, first: i, room: room - 2, depth: depth + 1}
	w.members(kind, i, func(m member) bool {
		c.count++
		c.last = m
		return true
	})
	w.open(kind)
	if share := c.room / c.count; share >= enough && (kind == '{' || c.count <= fewest) {
		w.fair(c)
	} else {
		w.ends(c)
	}
	w.end(kind)
	if len(w.out)-before > room {
		w.out = w.out[:before]
		w.note(room, "… %d bytes left out …", size)
	}
}

// container is an object, array or lines to be written.
type container struct {
	kind  byte
	first int // where its inside begins
	room  int // bytes for what is inside
	depth int // of its members
	count int // of its members
	last  member
}

func (w *shortener) open(kind byte) {
	if kind != '\n' {
		w.out = append(w.out, kind)
	}
}

func (w *shortener) end(kind byte) {
	if kind != '\n' {
		w.out = append(w.out, kind+2)
	}
}

// separate writes what stands between two members.
func (w *shortener) separate(kind byte) {
	if kind == '\n' {
		w.out = append(w.out, '\n')
		return
	}
	w.out = append(w.out, ',')
}

// member writes m with its key in at most room bytes.
func (w *shortener) member(m member, room, depth int) {
	if m.keyEnd > 0 {
		before := len(w.out)
		w.string(w.text[m.key:m.keyEnd], max(room/2, room-m.size-1))
		w.out = append(w.out, ':')
		room -= len(w.out) - before
	}
	w.value(m, room, depth)
}

// fair writes all members. The short ones are whole, and the others get equal shares of what those leave.
func (w *shortener) fair(c container) {
	costs := make([]int, 0, c.count)
	w.members(c.kind, c.first, func(m member) bool {
		costs = append(costs, m.cost())
		return true
	})
	share := equal(costs, c.room-(c.count-1))
	separate := false
	w.members(c.kind, c.first, func(m member) bool {
		if separate {
			w.separate(c.kind)
		}
		separate = true
		w.member(m, share, c.depth)
		return true
	})
}

// equal is the largest share such that all costs, each no more than the share, are within room.
func equal(costs []int, room int) int {
	slices.Sort(costs)
	share := 0
	for i, cost := range costs {
		share = room / (len(costs) - i)
		if cost > share {
			return share
		}
		room -= cost
	}
	return max(share, costs[len(costs)-1])
}

// ends writes the first members, how many are left out, and the last.
func (w *shortener) ends(c container) {
	lastRoom := min(c.last.cost(), c.room/4)
	left := c.room - marked - lastRoom
	most := c.room / 4 // one member does not take the place of all others
	written := 0
	w.members(c.kind, c.first, func(m member) bool {
		room := min(m.cost(), most)
		if written == c.count-1 || room >= left || room < enough && room < m.cost() {
			return false
		}
		before := len(w.out)
		w.member(m, room, c.depth)
		w.separate(c.kind)
		left -= len(w.out) - before
		written++
		return true
	})
	if missing := c.count - written - 1; missing > 0 {
		w.missing(c, missing)
	}
	w.member(c.last, lastRoom, c.depth)
}

// missing writes the place where members are left out.
func (w *shortener) missing(c container, n int) {
	what := "items"
	switch c.kind {
	case '{':
		what = "members"
		w.out = append(w.out, nothing+":"...)
	case '\n':
		what = "lines"
	}
	w.note(marked, "… %d of %d %s left out …", n, c.count, what)
	w.separate(c.kind)
}

// string writes a string, given with its quotes, in at most room bytes: its beginning and end with a note of what is missing between.
func (w *shortener) string(quoted string, room int) {
	if len(quoted) <= max(room, least) {
		w.out = append(w.out, quoted...)
		return
	}
	text := quoted[1 : len(quoted)-1]
	note := fmt.Sprintf(" … %d of %d bytes left out … ", len(text)-room, len(text))
	w.out = append(w.out, '"')
	if room < 2*len(note) {
		w.out = append(w.out, text[:unit(text, max(room-least, 0), false)]...)
		w.out = append(w.out, `…"`...)
		return
	}
	rest := room - 2 - len(note) - 2 // the numbers may grow when the borders move
	head := unit(text, rest*3/4, false)
	tail := unit(text, len(text)-(rest-rest*3/4), true)
	w.out = append(w.out, text[:head]...)
	w.out = fmt.Appendf(w.out, " … %d of %d bytes left out … ", tail-head, len(text))
	w.out = append(w.out, text[tail:]...)
	w.out = append(w.out, '"')
}

// unit moves i back, or on, to a place in the inside of a string that is within no escape and no character.
func unit(text string, i int, on bool) int {
	at := 0
	for at < i {
		jump := strings.IndexByte(text[at:i], '\\')
		if jump < 0 {
			break
		}
		end := at + jump + escaped(text[at+jump:])
		if end > i {
			if on {
				return end
			}
			return at + jump
		}
		at = end
	}
	for i > at && i < len(text) && !utf8.RuneStart(text[i]) {
		if on {
			i++
		} else {
			i--
		}
	}
	return i
}

// escaped is how long the escape at the beginning of text is. Two that make one character together are one.
func escaped(text string) int {
	n := max(escape(text), 1)
	if n == 6 && isSurrogate(text, "89abAB") && len(text) >= 12 && text[6] == '\\' && isSurrogate(text[6:], "cdefCDEF") {
		return 12
	}
	return n
}

func isSurrogate(text, half string) bool {
	return text[1] == 'u' && text[2]|0x20 == 'd' && bytes.IndexByte([]byte(half), text[3]) >= 0
}
