package provider

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/aloudchat/aloud/internal/sanitize"
)

// MinResult is how many bytes of a tool result are kept even if the context is full.
const MinResult = 512

// Trim returns text as valid UTF-8 of at most limit bytes, or MinResult if that is more. cut reports whether it removed
// anything but invalid UTF-8. It keeps three parts of the head to one of the tail, cut between lines or JSON elements
// where possible, with a note in between on how much is missing.
func Trim(text string, limit int) (kept string, cut bool) {
	limit = max(limit, MinResult)
	if len(text) <= limit {
		if text = strings.ToValidUTF8(text, "\uFFFD"); len(text) <= limit {
			return text, false
		}
	}
	const marker = 128 // bytes at most
	room := limit - marker
	head := cutHead(sanitize.Cut(text, room*3/4))
	tail := cutTail(strings.ToValidUTF8(text[len(text)-room/4:], ""))
	missing := len(text) - len(head) - len(tail)
	const left = "%s\n[… %d of %d bytes left out here: the result is too long …]\n%s"
	return fmt.Sprintf(left, head, missing, len(text), tail), true
}

// Part returns what follows the first from bytes of a valid text, at most limit bytes or MinResult, cut as by Trim, and
// where it ends.
func Part(text string, from, limit int) (part string, end int) {
	for from > 0 && from < len(text) && !utf8.RuneStart(text[from]) {
		from--
	}
	part = text[min(from, len(text)):]
	if limit = max(limit, MinResult); len(part) > limit {
		part = cutHead(sanitize.Cut(part, limit))
	}
	return part, from + len(part)
}

// boundaries are where a text may be cut, the best first.
var boundaries = []string{"\n", "},", "],", ",", " "}

// cutHead cuts at the last boundary in the last quarter.
func cutHead(head string) string {
	from := len(head) - len(head)/4
	for _, b := range boundaries {
		if i := strings.LastIndex(head[from:], b); i >= 0 {
			return head[:from+i+len(strings.TrimRight(b, "\n "))]
		}
	}
	return head
}

// cutTail cuts at the first boundary in the first quarter.
func cutTail(tail string) string {
	for _, b := range boundaries {
		if i := strings.Index(tail[:len(tail)/4], b); i >= 0 {
			return tail[i+len(b):]
		}
	}
	return tail
}
