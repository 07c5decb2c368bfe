package ui

import (
	"strings"

	"github.com/aloudchat/aloud/sanitize"
	"github.com/aloudchat/aloud/ui/markdown"
)

// entry is one thing in the transcript: a question, an answer, a thought, a tool call, a notice.
type entry interface {
	// lines returns the entry's rows, none of them wider than width, without blank rows around them. The transcript asks for every frame:
	// an entry keeps its rows and renders again only when the width or the look (told apart by its address) is another one, or its
	// content changed.
	lines(width int, st *look) []string
}

// drawn is the rows an entry has rendered, and for what.
type drawn struct {
	width int
	look  *look
	rows  []string
}

// stale tells whether the rows are not those for width and st, and if so forgets them.
func (d *drawn) stale(width int, st *look) bool {
	if d.width == width && d.look == st {
		return false
	}
	*d = drawn{width: width, look: st}
	return true
}

// forget makes the rows stale.
func (d *drawn) forget() { *d = drawn{} }

// beside draws rows of text to the right of a mark of one cell.
func beside(mark, text string, width int, st *look) []string {
	rows := markdown.Wrap(text, max(1, width-2), st.method)
	if width < 4 {
		return rows
	}
	for i, row := range rows {
		rows[i] = strings.TrimRight(mark+" "+row, " ")
		if i == 0 {
			mark = " "
		}
	}
	return rows
}

// userEntry is what the person typed, as they typed it, beside a bar.
type userEntry struct {
	text string
	drawn
}

func newUserEntry(text string) *userEntry {
	return &userEntry{text: strings.Trim(text, "\n")}
}

func (u *userEntry) lines(width int, st *look) []string {
	if !u.stale(width, st) {
		return u.rows
	}
	bar := st.styles.user.Render("▌") + " "
	if width < 4 {
		bar = ""
	}
	for _, row := range markdown.Wrap(sanitize.Text(u.text), max(1, width-2), st.method) {
		u.rows = append(u.rows, bar+strings.TrimRight(row, " "))
	}
	return u.rows
}

// source is the question as a Markdown quote.
func (u *userEntry) source() string {
	return "> " + strings.ReplaceAll(sanitize.Text(u.text), "\n", "\n> ")
}

// noticeKind is how loud a notice is.
type noticeKind int

const (
	noticeInfo    noticeKind = iota
	noticeWarn               // something did not go as asked
	noticeError              // something failed
	noticeReceipt            // what a turn took
)

// noticeEntry is a sentence of the program itself.
type noticeEntry struct {
	kind noticeKind
	text string
	drawn
}

func newNoticeEntry(kind noticeKind, text string) *noticeEntry {
	return &noticeEntry{kind: kind, text: strings.TrimSpace(text)}
}

func (n *noticeEntry) lines(width int, st *look) []string {
	if !n.stale(width, st) {
		return n.rows
	}
	text := sanitize.Text(n.text)
	switch s := st.styles; n.kind {
	case noticeWarn:
		n.rows = beside(s.warn.Render("!"), text, width, st)
	case noticeError:
		n.rows = beside(s.err.Render("✗"), text, width, st)
	default:
		n.rows = markdown.Wrap(text, width, st.method)
		paint(n.rows, s.dim)
	}
	return n.rows
}
