package composer

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// undo has the states of the draft that undo and redo return to.
type undo struct {
	undone, redone []state // the next one last
	shown          state
	change         change // that led to the shown one
}

// mostSteps is how many changes can be undone.
const mostSteps = 200

// state is the text of the editor around the cursor, and its chips.
type state struct {
	before, after string
	chips         []chip
}

// same reports whether two states have the same text and cursor.
func (s state) same(as state) bool { return s.before == as.before && s.after == as.after }

// change is a way to change the text. Changes of one character in one word are one step.
type change int

const (
	otherChange change = iota
	typed
	erased
)

// changeTo returns how the text changed, and whether that ends a step. Each word is one, with the blanks after it.
func (s state) changeTo(next state) (how change, ends bool) {
	if s.after != next.after {
		return otherChange, true
	}
	how, short, long := typed, s.before, next.before
	if len(short) > len(long) {
		how, short, long = erased, long, short
	}
	char, isEnd := strings.CutPrefix(long, short)
	r, size := utf8.DecodeRuneInString(char)
	if !isEnd || size != len(char) {
		return otherChange, true
	}
	last, _ := utf8.DecodeLastRuneInString(short)
	if how == erased {
		return how, unicode.IsSpace(r) && !unicode.IsSpace(last)
	}
	return how, unicode.IsSpace(last) && !unicode.IsSpace(r)
}

// follow must be called with the state after every change or move of the cursor.
func (u *undo) follow(now state) {
	if u.shown.before+u.shown.after == now.before+now.after {
		if !u.shown.same(now) {
			u.change = otherChange
		}
		u.shown = now
		return
	}
	how, ends := u.shown.changeTo(now)
	if ends || how != u.change {
		u.undone = append(u.undone, u.shown)
		u.undone = u.undone[max(0, len(u.undone)-mostSteps):]
	}
	u.redone, u.shown, u.change = nil, now, how
}

// Undo takes back the last change of the draft.
func (p *Composer) Undo() { p.travel(&p.undo.undone, &p.undo.redone) }

// Redo makes the change again that was undone last.
func (p *Composer) Redo() { p.travel(&p.undo.redone, &p.undo.undone) }

// travel shows the last state of one list, and adds the shown one to the other list.
func (p *Composer) travel(from, to *[]state) {
	last := len(*from) - 1
	if last < 0 {
		return
	}
	*to = append(*to, p.undo.shown)
	p.undo.shown, p.undo.change = (*from)[last], otherChange
	*from = (*from)[:last]
	p.chips = slices.Clip(p.undo.shown.chips)
	p.show(p.undo.shown)
	p.changed()
}

// begin forgets what can be undone.
func (p *Composer) begin() { p.undo = undo{shown: p.state()} }
