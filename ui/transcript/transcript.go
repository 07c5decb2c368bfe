// Package transcript displays the conversation: questions, thoughts, tool calls, answers and notices, each rendered
// once per width. It handles no keys and runs no turns.
//
// A Transcript is a list of entries, each kind in its own file. They come from the chat itself (Question, Notice), from
// the events of a turn (Scribe), and from disk (Load). They are returned as rows for the screen (View), rows for
// a pager (Unfolded, Dump), and Markdown (Text).
package transcript

import (
	"cmp"
	"iter"
	"slices"
	"strings"

	"github.com/aloudchat/aloud/provider"
	"github.com/aloudchat/aloud/ui/look"
)

// Transcript is a list of entries and the part of it that is in view.
//
// It never computes its total height. View starts at an anchor, which is the last row while following and else the
// first visible one. So a frame takes the same time with ten entries and with ten thousand, and new text below does not
// move the visible rows. Entries that were never in view are never rendered, and those that left it keep no rows.
type Transcript struct {
	entries       []entry
	look, open    *look.Look // the second with everything unfolded
	width, height int
	follow        bool
	top           anchor   // the first visible row, while not following
	unread        bool     // there is new text since the view was scrolled up
	rows          []string // reused by View
	at            []anchor // of the rows; a pinned question has the entry -1
	pin           look.Memo[pinKey, string]
	drawn, before map[entry]bool // the entries drawn since the last View, and before it
	walked        *receiptEntry  // the receipt with the chosen step; may be nil
	chosen        entry          // what happened in the step
	illustrated   bool           // there may be pictures
	decoding      bool           // one is being decoded
	find          *find          // nil while you do not search
	selection     *selection     // nil if there is none
}

// anchor is a row of the transcript: an entry, and the index of its row, including the blank row above it.
type anchor struct{ entry, row int }

// places returns what stays with its text: the view, the selection, and those of a search.
func (t *Transcript) places() []*anchor {
	all := []*anchor{&t.top}
	if s := t.selection; s != nil {
		all = append(all, &s.press.anchor, &s.low.anchor, &s.high.anchor)
	}
	if f := t.find; f != nil {
		all = append(all, &f.top, &f.shown)
	}
	return all
}

// compare returns a negative number if a is above b, and a positive one if it is below.
func (a anchor) compare(b anchor) int { return cmp.Or(a.entry-b.entry, a.row-b.row) }

// New returns an empty transcript with a default size and look.
func New() *Transcript {
	st := look.New(nil)
	t := &Transcript{width: 80, height: 24, follow: true, drawn: map[entry]bool{}, before: map[entry]bool{}}
	t.Restyle(&st)
	return t
}

// Question appends your message, or one of a prompt.
func (t *Transcript) Question(m provider.Message) {
	t.add(newUserEntry(m))
	t.illustrate(t.entries[len(t.entries)-1], m.Images)
}

// Notice appends a sentence from the program itself. It is sanitised when it is drawn.
func (t *Transcript) Notice(kind Kind, text string) { t.add(newNoticeEntry(kind, text)) }

// Empty reports whether the transcript has no entries.
func (t *Transcript) Empty() bool { return len(t.entries) == 0 }

// add appends an entry.
func (t *Transcript) add(e entry) {
	t.entries = append(t.entries, e)
	t.changed()
}

// remove removes entries.
func (t *Transcript) remove(gone []entry) {
	t.Unselect()
	t.entries = slices.DeleteFunc(t.entries, func(e entry) bool { return slices.Contains(gone, e) })
	if !t.follow {
		t.settle()
		t.followAtEnd()
	}
}

// changed notes that there is new text.
func (t *Transcript) changed() { t.unread = !t.follow }

// TakeBack removes the last question and everything after it, and follows the end again.
func (t *Transcript) TakeBack() {
	for i, e := range slices.Backward(t.entries) {
		if q, ok := e.(*userEntry); ok && q.asked {
			t.entries = t.entries[:i]
			break
		}
	}
	t.End()
}

// Clear removes all entries.
func (t *Transcript) Clear() {
	t.entries = nil
	t.End()
}

// Resize sets the width and height. The first visible row stays the same.
func (t *Transcript) Resize(width, height int) {
	width, height = max(1, width), max(1, height)
	if width != t.width || height != t.height {
		if width != t.width {
			t.Unselect()
		}
		t.keepPlace(func() { t.width, t.height = width, height })
		t.relocate()
	}
}

// Restyle sets the look. Entries render again when they come into view.
func (t *Transcript) Restyle(look *look.Look) {
	if !look.Details {
		t.leave()
	}
	t.Unselect()
	fresh, open := *look, *look // entries compare the pointer to find stale rows
	open.Details, open.Whole = true, true
	t.keepPlace(func() { t.look, t.open = &fresh, &open })
	t.relocate()
}

// keepPlace keeps the text at the top of the view in place while change changes the height of entries.
func (t *Transcript) keepPlace(change func()) {
	if t.follow || len(t.entries) == 0 {
		change()
		t.top = anchor{}
		return
	}
	t.settle()
	before := t.heightOf(t.top.entry)
	change()
	t.top.row = t.top.row * t.heightOf(t.top.entry) / max(1, before)
	t.settle()
	t.followAtEnd()
}

// Scroll moves the view. Up is negative and stops following; reaching the end starts it again.
func (t *Transcript) Scroll(rows int) {
	if t.follow {
		if rows >= 0 {
			return
		}
		t.top, t.follow = t.followed(), false
	}
	t.top.row += rows
	t.settle()
	t.followAtEnd()
}

// Page scrolls by the height of the view, less one row.
func (t *Transcript) Page(pages int) { t.Scroll(pages * max(1, t.height-1)) }

// Home shows the first row.
func (t *Transcript) Home() { t.show(anchor{}) }

// show shows the text from a row on.
func (t *Transcript) show(top anchor) {
	t.top, t.follow = top, false
	t.settle()
	t.followAtEnd()
}

// End shows the last row and follows new text. No step is chosen any more.
func (t *Transcript) End() {
	t.Unselect()
	t.leave()
	t.followEnd()
}

func (t *Transcript) followEnd() { t.top, t.follow, t.unread = anchor{}, true, false }

// Following reports whether the view follows new text.
func (t *Transcript) Following() bool { return t.follow }

// Unseen reports whether there is new text since the view was scrolled up.
func (t *Transcript) Unseen() bool { return t.unread }

// View returns the visible rows. The slice is reused by the next call.
func (t *Transcript) View() []string {
	if t.follow {
		t.top = t.followed()
	} else {
		t.settle()
	}
	t.rows, t.at = t.rows[:0], t.at[:0]
	for at, row := range t.rowsFrom(t.top) {
		t.rows, t.at = append(t.rows, row), append(t.at, at)
		if len(t.rows) == t.height {
			break
		}
	}
	t.tidy()
	if row := t.pinned(); row != "" && len(t.rows) > 0 {
		t.rows[0], t.at[0] = row, anchor{entry: -1}
	}
	t.mark()
	return t.rows
}

// tidy frees the rows of the entries that left the view.
func (t *Transcript) tidy() {
	for e := range t.before {
		if !t.drawn[e] {
			e.forget()
		}
	}
	t.drawn, t.before = t.before, t.drawn
	clear(t.drawn)
}

// rowsFrom returns all rows from a on, between the margins, and where they are.
func (t *Transcript) rowsFrom(a anchor) iter.Seq2[anchor, string] {
	return func(yield func(anchor, string) bool) {
		for i, skip := a.entry, a.row; i < len(t.entries); i, skip = i+1, 0 {
			rows, gap := t.entry(i)
			if skip < gap && !yield(anchor{i, 0}, "") {
				return
			}
			margin := look.Margin(t.width)
			hidden := min(max(0, skip-gap), len(rows))
			for n, row := range rows[hidden:] {
				row = t.look.Inset(row, margin)
				if rest, ok := strings.CutPrefix(row, " "); ok && n == 0 && skip <= gap && margin > 0 &&
					t.entries[i] == t.chosen {
					row = t.look.Accent.Render("▸") + rest
				}
				if !yield(anchor{i, gap + hidden + n}, row) {
					return
				}
			}
		}
	}
}

// entry returns an entry's rows and the number of blank rows above them, 0 or 1.
func (t *Transcript) entry(i int) (rows []string, gap int) {
	e := t.entries[i]
	rows = t.rowsOf(e, t.lookOf(e))
	above := t.above(i)
	_, isPicture := e.(*pictureEntry) // close to its message or call
	if above < 0 || len(rows) == 0 || t.isStep(above) && t.isStep(i) || isPicture ||
		t.isNote(above) && (t.isNote(i) || isReceipt(e)) {
		return rows, 0
	}
	return rows, 1
}

// rowsOf returns an entry's rows in a look.
func (t *Transcript) rowsOf(e entry, st *look.Look) []string {
	if call, ok := e.(*toolEntry); ok && call.isHidden(st) {
		return nil
	}
	t.drawn[e] = true
	return e.lines(t.width-2*look.Margin(t.width), st)
}

// lookOf returns the look of an entry.
func (t *Transcript) lookOf(e entry) *look.Look {
	if t.find != nil && t.find.opened == e {
		return t.open
	}
	return t.look
}

// above returns the index of the entry above another, without hidden thoughts, or -1.
func (t *Transcript) above(i int) int {
	for i--; i >= 0; i-- {
		if thought, ok := t.entries[i].(*thoughtEntry); !ok || !thought.isHidden(t.look) {
			break
		}
	}
	return i
}

// isStep reports whether an entry is one line about a step of a turn. No blank row is between such lines.
func (t *Transcript) isStep(i int) bool {
	switch e := t.entries[i].(type) {
	case *toolEntry:
		return !t.look.Details
	case *thoughtEntry:
		return e.done && !t.look.Details
	}
	return false
}

// isNote reports whether an entry is a note or has sources. No blank row is between them and a receipt below.
func (t *Transcript) isNote(i int) bool {
	switch e := t.entries[i].(type) {
	case *noticeEntry:
		return e.kind == Info
	case *sourcesEntry:
		return true
	}
	return false
}

// EndInView reports whether the receipt of the last turn, which has the reason for its end, is in view.
func (t *Transcript) EndInView() bool {
	for last, e := range slices.Backward(t.entries) {
		if !isReceipt(e) {
			continue
		}
		rows := -t.top.row // from the top of the view to the end of the receipt
		for i := t.top.entry; i <= last && rows <= t.height; i++ {
			rows += t.heightOf(i)
		}
		return last >= t.top.entry && rows <= t.height
	}
	return false
}

func (t *Transcript) heightOf(i int) int {
	rows, gap := t.entry(i)
	return len(rows) + gap
}

// followed returns the first row of a view that follows the end. When rows at the end go, as those of a thought or of
// calls that are folded, the rows above stay in place, and new text fills the space.
func (t *Transcript) followed() anchor {
	page := t.lastPage()
	if t.top.entry < page.entry {
		return page
	}
	t.settle()
	space := t.top.row - page.row
	for i := page.entry; i < t.top.entry; i++ {
		space += t.heightOf(i)
	}
	if 0 < space && space < max(liveThought, t.height/3) {
		return t.top
	}
	return page
}

// lastPage returns the first row of the view that ends with the last row.
func (t *Transcript) lastPage() anchor { return t.back(t.height) }

// back returns the row that is n rows before the end, or the first one.
func (t *Transcript) back(n int) anchor {
	for i := range slices.Backward(t.entries) {
		if n -= t.heightOf(i); n <= 0 {
			return anchor{i, -n}
		}
	}
	return anchor{}
}

// settle moves the anchor to an existing row, after scrolling or when its entry has become shorter.
func (t *Transcript) settle() {
	last := len(t.entries) - 1
	if last < 0 {
		t.top = anchor{}
		return
	}
	t.top.entry = min(t.top.entry, last)
	for t.top.row < 0 && t.top.entry > 0 {
		t.top.entry--
		t.top.row += t.heightOf(t.top.entry)
	}
	t.top.row = max(0, t.top.row)
	for {
		h := t.heightOf(t.top.entry)
		if t.top.row < h || t.top.entry == last {
			t.top.row = min(t.top.row, max(0, h-1))
			return
		}
		t.top.row -= h
		t.top.entry++
	}
}

// followAtEnd follows the end if the last row is in view.
func (t *Transcript) followAtEnd() {
	below := 0
	for range t.rowsFrom(t.top) {
		if below++; below > t.height {
			return
		}
	}
	t.followEnd()
}
