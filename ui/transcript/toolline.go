package transcript

import (
	"cmp"
	"encoding/json"
	"strings"

	"github.com/aloudchat/aloud/internal/sanitize"
	"github.com/aloudchat/aloud/provider/event"
	"github.com/aloudchat/aloud/ui/look"
)

const (
	lineMeasure = 100 // cells of a row at most, so that a duration stays near its call on a wide screen
	shortResult = 40  // cells of a result that the row may show
)

// line draws the call, and those that share its line, in one row: the title, the main argument, a short result or the
// error, and the duration at the right end. If the row is too narrow, the result is left out first, then the argument
// is shortened.
func (e *toolEntry) line(width int, st *look.Look) string {
	s, width := st.Styles, min(width, lineMeasure)
	mark, facts := e.state(st)
	head := mark + " " + s.Strong.Render(sanitize.Line(cmp.Or(e.call.Title, e.call.Name)))
	if others := len(e.sharing(st)); others > 0 {
		head += " ×" + look.Thousands(1+others)
	}
	if len(e.call.Repairs) > 0 {
		facts = look.Dotted("repaired", facts)
	}
	least, reason := width/3, "" // of the argument, even if the rest is long
	if e.call.Error != "" && e.call.Status == event.CallError {
		if width < look.Roomy { // the reason is more important
			least, facts = 0, ""
		}
		reason = "  " + s.Err.Render(sanitize.Line(sanitize.Cut(e.call.Error, 400)))
	}
	room := width
	if facts != "" {
		room -= st.Method.StringWidth(facts) + 2
	}
	space := spaceAfter(st.Method.StringWidth(head), width)
	left := room - st.Method.StringWidth(head+space)
	left = max(left-st.Method.StringWidth(reason), min(left, least))
	arg := e.subjects(left, st)
	if e.change.diff != "" {
		arg = e.change.words(left)
	}
	if arg = st.Clip(arg, left); arg != "" {
		head += space + arg
	}
	head += reason
	if note := e.note(st); note != "" && st.Method.StringWidth(head)+st.Method.StringWidth(note) <= room {
		head += s.Dim.Render(note)
	}
	if facts == "" || room < 1 {
		return st.Clip(head, width)
	}
	head = st.Clip(head, room)
	gap := strings.Repeat(" ", width-st.Method.StringWidth(head)-st.Method.StringWidth(facts))
	if e.call.Status == event.CallPending {
		return head + gap + s.Accent.Render(facts)
	}
	return head + gap + s.Dim.Render(facts)
}

// spaceAfter returns the space between a title of so many cells and the argument. If there is room, the arguments of
// short titles are aligned.
func spaceAfter(title, width int) string {
	const column = 16
	if width < look.Roomy {
		return "  "
	}
	return strings.Repeat(" ", max(2, column-title))
}

// note returns the result of a successful call if it is one short line.
func (e *toolEntry) note(st *look.Look) string {
	text := strings.TrimSpace(e.call.Result)
	if e.call.Status != event.CallOK || e.change.diff != "" || e.pictured || len(e.sharing(st)) > 0 ||
		text == "" || len(text) > 4*shortResult || strings.Contains(text, "\n") {
		return ""
	}
	if text = sanitize.Line(text); st.Method.StringWidth(text) > shortResult {
		return ""
	}
	return " " + separator + text
}

// likelyArguments are names of arguments that say what a call is about, the likeliest first.
var likelyArguments = []string{"path", "file_path", "file", "query", "url", "uri", "command", "name", "pattern", "id"}

// mainArgument returns the value that says what the call is about: one with a likely name, else the first string, else
// the first value with its name, because a number alone says nothing.
func (e *toolEntry) mainArgument() string {
	texts, main, first, other := map[string]string{}, "", "", ""
	for key, value := range look.Members(e.call.Arguments) {
		var text string
		if value[0] != '"' {
			other = cmp.Or(other, key+" "+sanitize.Clip(string(value), 60))
		} else if json.Unmarshal(value, &text) == nil {
			texts[key], first = text, cmp.Or(first, text)
		}
	}
	for _, key := range likelyArguments {
		main = cmp.Or(main, texts[key])
	}
	return sanitize.Line(sanitize.Cut(cmp.Or(main, first, other), 400))
}
