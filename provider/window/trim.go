package window

import (
	"fmt"
	"strings"
	"unicode/utf8"
)

// Slack is by how many bytes Trim may go over a limit that is smaller than four times of it; larger limits are kept.
const Slack = 128

const broken = "\uFFFD" // what stands for bytes that are not UTF-8

// Trim makes text at most limit bytes long, and valid UTF-8. cut reports whether anything but invalid UTF-8 was changed. Three quarters of what
// fits are the head of the text and one is its tail, each cut at the end of a line or of an element of JSON where one is near. A line between them
// says how much is missing.
func Trim(text string, limit int) (kept string, cut bool) {
	limit = max(limit, 0)
	if len(text) <= limit {
		if kept = strings.ToValidUTF8(text, broken); len(kept) <= limit {
			return kept, false
		}
		text = kept
	}
	room := limit
	if limit >= 4*Slack {
		room -= Slack
	}
	head := headEnd(text, border(text, min(room*3/4, len(text))))
	tail := tailStart(text, border(text, max(head, len(text)-(room-room*3/4))))
	before, after := valid(text[:head], room*3/4, false), valid(text[tail:], room-room*3/4, true)
	marker := fmt.Sprintf("\n[… %d of %d bytes left out here: the result is too long …]\n", tail-head, len(text))
	return before + marker + after, true
}

// Part is the piece of text from the byte from on, of at most limit bytes, made valid UTF-8. Both its ends move back to the beginning of a
// character, so that pieces which follow each other by the limit or by their length are the whole text. A limit that is smaller than a
// character is taken as one that is not. It is "" behind the end.
func Part(text string, from, limit int) string {
	from = max(0, min(from, len(text)))
	end := from + min(max(limit, utf8.UTFMax), len(text)-from)
	return strings.ToValidUTF8(text[border(text, from):border(text, end)], broken)
}

// boundaries are what a text is cut behind, the best first.
var boundaries = []string{"\n", "},", "],", ",", " "}

// headEnd moves the end of a head back to a boundary in its last quarter.
func headEnd(text string, end int) int {
	from := end - end/4
	for _, b := range boundaries {
		if i := strings.LastIndex(text[from:end], b); i >= 0 {
			return from + i + len(strings.TrimRight(b, "\n "))
		}
	}
	return end
}

// tailStart moves the start of a tail on to a boundary in its first quarter.
func tailStart(text string, start int) int {
	near := text[start : start+(len(text)-start)/4]
	for _, b := range boundaries {
		if i := strings.Index(near, b); i >= 0 {
			return start + i + len(b)
		}
	}
	return start
}

// valid makes a piece valid UTF-8. If that makes it longer than limit, it loses its end, or its beginning.
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
