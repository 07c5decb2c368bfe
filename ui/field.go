package ui

import (
	"strings"
	"unicode/utf8"

	tea "charm.land/bubbletea/v2"

	"github.com/aloudchat/aloud/sanitize"
	"github.com/aloudchat/aloud/ui/look"
	"github.com/aloudchat/aloud/ui/markdown"
)

// field is one short line of input in a dialog. Whoever gives it another text has the cursor at its end.
type field struct {
	text string

	behind int    // bytes behind the cursor
	of     string // the text for which that holds
}

func (f *field) key(k tea.KeyPressMsg) {
	before, after := f.parts()
	switch k.String() {
	case "left":
		f.put(butLast(before), before[len(butLast(before)):]+after)
	case "right":
		_, first := utf8.DecodeRuneInString(after)
		f.put(before+after[:first], after[first:])
	case "ctrl+a", "home":
		f.put("", f.text)
	case "ctrl+e", "end":
		f.put(f.text, "")
	case "backspace":
		f.put(butLast(before), after)
	case "delete":
		_, first := utf8.DecodeRuneInString(after)
		f.put(before, after[first:])
	case "ctrl+u":
		f.put("", after)
	default:
		f.write(sanitize.Text(k.Text))
	}
}

// insert takes a text as one line.
func (f *field) insert(text string) { f.write(sanitize.Line(text)) }

// insertAll takes a text with all its blanks and line breaks, but for those at its end: they come along with most of what is copied.
func (f *field) insertAll(text string) {
	text = sanitize.Text(strings.ReplaceAll(strings.ReplaceAll(text, "\r\n", "\n"), "\r", "\n"))
	f.write(strings.TrimRight(text, "\n"))
}

func (f *field) write(text string) {
	before, after := f.parts()
	f.put(before+text, after)
}

// parts are the text before the cursor and behind it.
func (f *field) parts() (before, after string) {
	if f.text != f.of {
		return f.text, ""
	}
	at := len(f.text) - f.behind
	return f.text[:at], f.text[at:]
}

func (f *field) put(before, after string) {
	f.text = before + after
	f.behind, f.of = len(after), f.text
}

func butLast(text string) string {
	_, last := utf8.DecodeLastRuneInString(text)
	return text[:len(text)-last]
}

// view shows the part of the text where it is edited. What is far from there is not even measured: whatever else was pasted.
func (f *field) view(width int, st *look.Look) string {
	cursor := st.Accent.Render("▏")
	before, after := f.parts()
	near := nearby * max(width, 1)
	after = visible(look.Cut(after, near))
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
