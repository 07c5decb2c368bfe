package input

import (
	"strings"
	"unicode/utf8"

	tea "charm.land/bubbletea/v2"

	"github.com/aloudchat/aloud/mcpclient/elicit"
	"github.com/aloudchat/aloud/sanitize"
	"github.com/aloudchat/aloud/ui/look"
	"github.com/aloudchat/aloud/ui/markdown"
)

// Line is one line that is being written. Whoever gives it another text has the cursor at its end; the zero value is an empty one.
type Line struct {
	Text string

	behind int    // bytes behind the cursor
	of     string // the text for which that holds
}

// Key takes a key that writes, deletes or moves the cursor.
func (l *Line) Key(k tea.KeyPressMsg) {
	before, after := l.parts()
	switch k.String() {
	case "left":
		l.Put(butLast(before), before[len(butLast(before)):]+after)
	case "right":
		_, first := utf8.DecodeRuneInString(after)
		l.Put(before+after[:first], after[first:])
	case "ctrl+a", "home":
		l.Put("", l.Text)
	case "ctrl+e", "end":
		l.Put(l.Text, "")
	case "backspace":
		l.Put(butLast(before), after)
	case "delete":
		_, first := utf8.DecodeRuneInString(after)
		l.Put(before, after[first:])
	case "ctrl+u":
		l.Put("", after)
	default:
		l.write(sanitize.Text(k.Text))
	}
}

// Insert takes a text as one line. What is longer than a line may be is not taken at all: half of it says something else.
func (l *Line) Insert(text string) (taken bool) {
	if taken = l.holds(text); taken {
		l.write(sanitize.Line(text))
	}
	return taken
}

// insertAll takes a text with all its blanks and line breaks, but for those at its end: they come along with most of what is copied.
func (l *Line) insertAll(text string) (taken bool) {
	if taken = l.holds(text); taken {
		text = sanitize.Text(strings.ReplaceAll(strings.ReplaceAll(text, "\r\n", "\n"), "\r", "\n"))
		l.write(strings.TrimRight(text, "\n"))
	}
	return taken
}

// holds reports whether there is room for a text.
func (l *Line) holds(text string) bool { return len(l.Text)+len(text) <= elicit.LongestTyped }

func (l *Line) write(text string) {
	before, after := l.parts()
	l.Put(before+text, after)
}

// parts are the text before the cursor and behind it.
func (l *Line) parts() (before, after string) {
	if l.Text != l.of {
		return l.Text, ""
	}
	at := len(l.Text) - l.behind
	return l.Text[:at], l.Text[at:]
}

// Put replaces the text; the cursor stands between its two parts.
func (l *Line) Put(before, after string) {
	l.Text = before + after
	l.behind, l.of = len(after), l.Text
}

func butLast(text string) string {
	_, last := utf8.DecodeLastRuneInString(text)
	return text[:len(text)-last]
}

// View shows the part of the text where it is edited. What is far from there is not even measured: whatever else was pasted.
func (l *Line) View(width int, st *look.Look) string {
	cursor := st.Accent.Render("▏")
	before, after := l.parts()
	near := nearby * max(width, 1)
	after = visible(sanitize.Cut(after, near))
	far := len(before) > near
	before = visible(cutLeft(before, near))
	if !far && st.Method.StringWidth(before+after) < width {
		return before + cursor + after
	}
	after = markdown.Clip(after, width/3, "…", st.Method)
	room := width - 1 - st.Method.StringWidth(after)
	if !far && st.Method.StringWidth(before) <= room {
		return before + cursor + after
	}
	end := []rune(st.Method.TruncateLeft(before, st.Method.StringWidth(before)-room+1, ""))
	for len(end) > 0 && st.Method.StringWidth(string(end)) > room-1 {
		end = end[1:]
	}
	return "…" + string(end) + cursor + after
}

// nearby is how many bytes of a text are looked at for each cell that it may have: a family is 25 of them in two cells.
const nearby = 16

// visible is a text as a row of a dialog shows it: all that is in it, and nothing that a terminal obeys.
func visible(text string) string {
	return sanitize.Visible(strings.ReplaceAll(text, "\n", "↵"))
}

// cutLeft returns the last n bytes of s, or fewer where that would part a character.
func cutLeft(s string, n int) string {
	from := max(0, len(s)-n)
	for from < len(s) && !utf8.RuneStart(s[from]) {
		from++
	}
	return s[from:]
}
