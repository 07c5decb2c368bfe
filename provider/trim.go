package provider

import (
	"fmt"
	"strings"

	"github.com/aloudchat/aloud/sanitize"
)

// SmallestResult is how many bytes of a tool result are kept however full the context is.
const SmallestResult = 512

// Trim makes text at most limit bytes long, or SmallestResult if that is more, and valid UTF-8. cut reports whether anything but invalid UTF-8
// was changed. Three quarters of what fits are the head of the text and one is its tail, each cut at the end of a line or of an element of JSON
// where one is near. A line between them says how much is missing.
func Trim(text string, limit int) (kept string, cut bool) {
	limit = max(limit, SmallestResult)
	if len(text) <= limit {
		if text = strings.ToValidUTF8(text, "\uFFFD"); len(text) <= limit {
			return text, false
		}
	}
	const marker = 128 // bytes, at most
	room := limit - marker
	head := cutHead(sanitize.Cut(text, room*3/4))
	tail := cutTail(strings.ToValidUTF8(text[len(text)-room/4:], ""))
	missing := len(text) - len(head) - len(tail)
	return fmt.Sprintf("%s\n[… %d of %d bytes left out here: the result is too long …]\n%s", head, missing, len(text), tail), true
}

// boundaries are what a text is cut behind, the best first.
var boundaries = []string{"\n", "},", "],", ",", " "}

// cutHead takes off what is behind the last boundary, if that is in the last quarter.
func cutHead(head string) string {
	from := len(head) - len(head)/4
	for _, b := range boundaries {
		if i := strings.LastIndex(head[from:], b); i >= 0 {
			return head[:from+i+len(strings.TrimRight(b, "\n "))]
		}
	}
	return head
}

// cutTail takes off what is before the first boundary, if that is in the first quarter.
func cutTail(tail string) string {
	for _, b := range boundaries {
		if i := strings.Index(tail[:len(tail)/4], b); i >= 0 {
			return tail[i+len(b):]
		}
	}
	return tail
}
