package window

import (
	"fmt"
	"strings"
	"unicode/utf8"
)

// Slack is by how many bytes Trim may go over a limit that is smaller than four times of it; larger limits are kept.
const Slack = 128

const broken = "\uFFFD" // what stands for bytes that are not UTF-8

// Trim makes text at most limit bytes long, and valid UTF-8. cut tells whether anything but invalid UTF-8 was changed.
//
// JSON stays JSON: arrays keep their first items and the last, long strings their beginning and end, deep nesting is closed, and each place
// says how much is left out. JSON lines stay lines of JSON. Of any other text three quarters of what fits are its head and one is its
// tail, with a line between them that says how much is missing. What is dropped is never copied.
func Trim(text string, limit int) (kept string, cut bool) {
	limit = max(limit, 0)
	if len(text) <= limit {
		if kept = strings.ToValidUTF8(text, broken); len(kept) <= limit {
			return kept, false
		}
		text = kept
	}
	if looksLikeJSON(text) {
		if kept, ok := trimJSON(text, limit); ok {
			return kept, true
		}
	}
	return trimText(text, limit), true
}

// Part is the piece of text from the byte from on, of at most limit bytes, made valid UTF-8. Both its ends move back to the beginning of a
// character, so that pieces which follow each other by the limit or by their length are the whole text. A limit that is smaller than a
// character is taken as one that is not. It is "" behind the end.
func Part(text string, from, limit int) string {
	from = max(0, min(from, len(text)))
	end := from + min(max(limit, utf8.UTFMax), len(text)-from)
	return strings.ToValidUTF8(text[border(text, from):border(text, end)], broken)
}

// trimText cuts the middle out of text.
func trimText(text string, limit int) string {
	room := limit
	if limit >= 4*Slack {
		room -= Slack
	}
	head := lineEnd(text, border(text, min(room*3/4, len(text))))
	tail := lineStart(text, border(text, max(head, len(text)-(room-room*3/4))))
	before, after := valid(text[:head], room*3/4, false), valid(text[tail:], room-room*3/4, true)
	marker := fmt.Sprintf("\n[… %d of %d bytes left out here: the result is too long …]\n", tail-head, len(text))
	return before + marker + after
}

// lineEnd moves the end of a head back to the end of a line, when one is near.
func lineEnd(text string, end int) int {
	from := end - end/4
	if i := strings.LastIndexByte(text[from:end], '\n'); i >= 0 {
		return from + i
	}
	return end
}

// lineStart moves the start of a tail on to the start of a line, when one is near.
func lineStart(text string, start int) int {
	near := text[start : start+(len(text)-start)/4]
	if i := strings.IndexByte(near, '\n'); i >= 0 {
		return start + i + 1
	}
	return start
}

// valid makes a piece valid UTF-8. Should that make it longer than limit, it loses its end, or its beginning.
func valid(text string, limit int, keepEnd bool) string {
	text = strings.ToValidUTF8(text, broken)
	switch {
	case len(text) <= limit:
		return text
	case !keepEnd:
		return text[:border(text, limit)]
	}
	start := len(text) - limit
	for start < len(text) && !utf8.RuneStart(text[start]) {
		start++
	}
	return text[start:]
}

// border moves i back to the beginning of a character. Bytes that are no characters have none: there i stays.
func border(text string, i int) int {
	switch {
	case i <= 0:
		return 0
	case i >= len(text):
		return len(text)
	}
	for back := range min(utf8.UTFMax, i+1) {
		if utf8.RuneStart(text[i-back]) {
			return i - back
		}
	}
	return i
}
