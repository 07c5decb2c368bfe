package transcript

import (
	"fmt"
	"slices"
	"strings"

	"github.com/aloudchat/aloud/internal/sanitize"
	"github.com/aloudchat/aloud/provider"
	"github.com/aloudchat/aloud/ui/look"
	"github.com/aloudchat/aloud/ui/markdown"
)

// entry is an item of the transcript: a question, an answer, a thought, a tool call, a notice.
type entry interface {
	// lines returns the entry's rows, at most width cells wide, without blank rows around them. It is called for every
	// frame: an entry keeps its rows until the width, the look (compared by its address) or its content changes.
	lines(width int, st *look.Look) []string
	// forget frees the rows.
	forget()
	// fresh returns a copy that may be drawn while this entry grows.
	fresh() entry
}

// drawn has the rows of an entry, and the width and look that they were drawn for.
type drawn struct {
	width int
	look  *look.Look
	rows  []string
}

// stale reports whether the rows must be drawn again for width and st, and then forgets them.
func (d *drawn) stale(width int, st *look.Look) bool {
	if d.width == width && d.look == st {
		return false
	}
	*d = drawn{width: width, look: st}
	return true
}

// forget makes the rows stale.
func (d *drawn) forget() { *d = drawn{} }

// stream is a text of the model, sanitised as it arrives. A finished text is sanitised when it is drawn, so that it can
// be the text of a stored message.
type stream struct {
	growing strings.Builder // clean
	filter  sanitize.Filter
	text    string // the finished text
	done    bool
}

func (s *stream) write(delta string) { s.growing.WriteString(s.filter.Write(delta)) }

func (s *stream) end() {
	s.growing.WriteString(s.filter.Flush())
	s.text, s.done = s.growing.String(), true
	s.growing.Reset()
}

// share replaces the text with an equal one, so that it is in memory only once.
func (s *stream) share(texts ...string) {
	for _, text := range texts {
		if s.text == text {
			s.text = text
		}
	}
}

// clean returns the text so far, sanitised.
func (s *stream) clean() string {
	if s.done {
		return sanitize.Text(s.text)
	}
	return s.growing.String()
}

// raw returns the text so far, with control characters if it is finished.
func (s *stream) raw() string { return s.text + s.growing.String() }

// copy returns a finished stream with the same text.
func (s *stream) copy() stream { return stream{text: s.raw(), done: true} }

// beside draws rows of text to the right of a mark of one cell.
func beside(mark, text string, width int, st *look.Look) []string {
	rows := markdown.Wrap(text, look.Reading(width-2), st.Method)
	for i, row := range rows {
		rows[i] = st.Clip(strings.TrimRight(mark+" "+row, " "), width)
		if i == 0 {
			mark = " "
		}
	}
	return rows
}

// A folded question longer than longQuestion rows shows its beginning and its end, where the question often follows a
// pasted file.
const (
	longQuestion  = 20
	shownQuestion = 6
	shownEnd      = 2
)

// userEntry is your message, beside a bar and on a background, with its attachments, or a message of a prompt, sent as
// yours or the model's.
type userEntry struct {
	text     string
	from     string // the prompt that it is from; "" means that you typed it
	asked    bool   // a turn begins with it: it is not sent as the model's
	attached []provider.Attachment
	drawn
}

func newUserEntry(m provider.Message) *userEntry {
	text, asked := strings.Trim(m.Text, "\n"), m.Role == provider.RoleUser
	u := &userEntry{text: text, from: m.From, asked: asked, attached: m.Attached}
	if m.From != "" && m.Role == provider.RoleAssistant {
		u.from += ", as the model"
	}
	return u
}

func (u *userEntry) lines(width int, st *look.Look) []string {
	if !u.stale(width, st) {
		return u.rows
	}
	bar := st.User.Render("▌") + " "
	room := look.Reading(width - 2)
	rows := markdown.Wrap(sanitize.Text(u.text), room, st.Method)
	if hidden := len(rows) - shownQuestion - shownEnd; len(rows) > longQuestion && !st.Details {
		more := look.Dotted(fmt.Sprintf("… %s more lines", look.Thousands(hidden)), st.DetailsKey)
		rows = slices.Concat(rows[:shownQuestion], []string{st.Dim.Render(more)}, rows[len(rows)-shownEnd:])
	}
	rows = append(rows, u.attachedRows(room, st)...)
	if u.from != "" {
		rows = slices.Insert(rows, 0, st.Dim.Render(sanitize.Line(u.from)))
	}
	for _, row := range rows {
		row = st.Clip(bar+strings.TrimRight(row, " "), width)
		u.rows = append(u.rows, st.Question.Fill(row, width, st.Method))
	}
	return u.rows
}

func (u *userEntry) fresh() entry {
	return &userEntry{text: u.text, from: u.from, asked: u.asked, attached: slices.Clone(u.attached)}
}

// Kind is the kind of a notice.
type Kind int

// The kinds of notices.
const (
	Info  Kind = iota // a note about the current work
	Warn              // a problem that is not a failure
	Error             // something failed
)

// noticeEntry is a sentence from the program itself.
type noticeEntry struct {
	kind Kind
	text string
	drawn
}

func newNoticeEntry(kind Kind, text string) *noticeEntry {
	return &noticeEntry{kind: kind, text: strings.TrimSpace(text)}
}

func (n *noticeEntry) lines(width int, st *look.Look) []string {
	if !n.stale(width, st) {
		return n.rows
	}
	text := sanitize.Text(n.text)
	switch s := st.Styles; n.kind {
	case Warn:
		n.rows = beside(s.Warn.Render("!"), text, width, st)
	case Error:
		why, ways, _ := strings.Cut(text, "\n")
		n.rows = beside(s.Err.Render("✗"), why, width, st)
		if ways != "" {
			rows := beside(" ", ways, width, st)
			look.Paint(rows, s.Dim)
			n.rows = append(n.rows, rows...)
		}
	default:
		n.rows = markdown.Wrap(text, look.Reading(width), st.Method)
		look.Paint(n.rows, s.Dim)
	}
	return n.rows
}

func (n *noticeEntry) fresh() entry { return &noticeEntry{kind: n.kind, text: n.text} }
