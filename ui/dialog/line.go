package dialog

import (
	"cmp"
	"strings"
	"unicode/utf8"

	tea "charm.land/bubbletea/v2"

	"github.com/aloudchat/aloud/internal/sanitize"
	"github.com/aloudchat/aloud/mcpclient/elicit"
	"github.com/aloudchat/aloud/ui/look"
	"github.com/aloudchat/aloud/ui/markdown"
	"github.com/aloudchat/aloud/ui/screen"
)

// line is one line of text that you edit. After a change of Text the cursor is at its end.
type line struct {
	Text   string
	most   int  // the maximum length in bytes; 0 means elicit.LongestTyped
	breaks bool // pasted text keeps its spaces and line breaks

	behind int    // bytes after the cursor
	of     string // the text when behind was set
}

// Update handles keys and pastes.
func (l *line) Update(msg tea.Msg) tea.Cmd {
	switch msg := msg.(type) {
	case tea.PasteMsg:
		return l.Insert(msg.Content)
	case tea.KeyPressMsg:
		l.Key(msg)
	}
	return nil
}

// Key handles a key that writes, deletes or moves the cursor.
func (l *line) Key(k tea.KeyPressMsg) {
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

// Insert inserts a text, or returns a command that says that it is too long.
func (l *line) Insert(text string) tea.Cmd {
	most := cmp.Or(l.most, elicit.LongestTyped)
	switch {
	case len(l.Text)+len(text) > most:
		return screen.ShowFlash("Not pasted: a field takes up to " + bytesText(int64(most)))
	case l.breaks:
		text = sanitize.Text(strings.ReplaceAll(strings.ReplaceAll(text, "\r\n", "\n"), "\r", "\n"))
		l.write(strings.TrimRight(text, "\n"))
	default:
		l.write(sanitize.Line(text))
	}
	return nil
}

func (l *line) write(text string) {
	before, after := l.parts()
	l.Put(before+text, after)
}

// parts returns the text before and after the cursor.
func (l *line) parts() (before, after string) {
	if l.Text != l.of {
		return l.Text, ""
	}
	at := len(l.Text) - l.behind
	return l.Text[:at], l.Text[at:]
}

// Put replaces the text and puts the cursor between the two parts.
func (l *line) Put(before, after string) {
	l.Text = before + after
	l.behind, l.of = len(after), l.Text
}

func butLast(text string) string {
	_, last := utf8.DecodeLastRuneInString(text)
	return text[:len(text)-last]
}

// View draws the text around the cursor. It does not scan the rest, which may be a megabyte.
func (l *line) View(width int, st *look.Look) string {
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

// filter draws the text as the filter of a list.
func (l *line) filter(width int, st *look.Look) string {
	return st.Clip("  "+st.Dim.Render("filter ")+l.View(max(1, width-9), st), max(1, width))
}

// nearby is the number of bytes of a text to read for each cell: an emoji may take 25 bytes for two cells.
const nearby = 16

// visible returns a text as one safe row, with nothing hidden.
func visible(text string) string {
	return sanitize.Visible(strings.ReplaceAll(text, "\n", "↵"))
}

// cutLeft returns the last n bytes of s, or fewer at a character boundary.
func cutLeft(s string, n int) string {
	from := max(0, len(s)-n)
	for from < len(s) && !utf8.RuneStart(s[from]) {
		from++
	}
	return s[from:]
}
