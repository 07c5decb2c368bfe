package transcript

import (
	"strings"

	"github.com/aloudchat/aloud/provider/event"
	"github.com/aloudchat/aloud/ui/look"
)

// Successful calls of one tool in a row share a line. The entry of the first call draws it. The other entries have no
// rows until the details are unfolded, but stay in the list, so that a view that is scrolled up does not move.

// joins reports whether the call shares the line of the call above it, which may be nil.
func (e *toolEntry) joins(above *toolEntry) bool {
	return above != nil && e.isPlain() && above.isPlain() &&
		e.call.Name == above.call.Name && e.call.Server == above.call.Server
}

// isPlain reports whether the call succeeded, as the model wrote it, without a change or images. Other calls keep their
// lines.
func (e *toolEntry) isPlain() bool {
	return e.call.Status == event.CallOK && e.change.diff == "" && len(e.call.Repairs) == 0 && !e.pictured
}

// isHidden reports whether the call has no rows, because another call draws its line.
func (e *toolEntry) isHidden(st *look.Look) bool { return e.folded && !st.Details }

// fold folds the calls in a row with entry i, and those after them.
func (t *Transcript) fold(i int) {
	for i > 0 && isInRow(t.entries[i-1]) {
		i--
	}
	var first, above *toolEntry
	for _, next := range t.entries[min(max(0, i), len(t.entries)):] {
		e, ok := next.(*toolEntry)
		switch {
		case ok:
			e.folded, e.others = e.joins(above), nil
			if e.folded {
				first.others = append(first.others, e)
			} else {
				first = e
			}
			above = e
			e.forget()
		case !isInRow(next):
			above = nil
		}
	}
}

// isInRow reports whether an entry is a call, or a thought between calls that is too short to be shown.
func isInRow(e entry) bool {
	switch e := e.(type) {
	case *toolEntry:
		return true
	case *thoughtEntry:
		return e.done && e.isShort()
	}
	return false
}

// sharing returns the calls whose line this one draws, besides itself.
func (e *toolEntry) sharing(st *look.Look) []*toolEntry {
	if st.Details {
		return nil
	}
	return e.others
}

// took returns the time of the call and of those that share its line in milliseconds, or unknown.
func (e *toolEntry) took(st *look.Look) int64 {
	total := e.call.DurationMS
	for _, other := range e.sharing(st) {
		if total == unknown || other.call.DurationMS == unknown {
			return unknown
		}
		total += other.call.DurationMS
	}
	return total
}

// subjects returns the main arguments of the call and of those that share its line, as many as fit in room cells.
func (e *toolEntry) subjects(room int, st *look.Look) string {
	text := e.mainArgument()
	for _, other := range e.sharing(st) {
		longer := strings.TrimPrefix(text+", "+look.Short(other.mainArgument()), ", ")
		if st.Method.StringWidth(longer+", …") > room {
			return strings.TrimPrefix(text+", …", ", ")
		}
		text = strings.TrimSuffix(longer, ", ")
	}
	return text
}
