package sanitize

import (
	"strings"

	"github.com/charmbracelet/x/ansi"
)

// Truncating and measuring do not always agree about joined emoji, so CutEnd and CutMiddle check their result and
// truncate more if necessary. Short text is not measured: no character has more cells than bytes.

// CutEnd truncates s to width cells, with "…" at the end.
func CutEnd(s string, width int) string {
	if len(s) <= width {
		return s
	}
	for room := width; room > 0; room-- {
		cut := ansi.TruncateWc(s, room, "…")
		if before, off := strings.CutSuffix(cut, "…"); off && cut != s {
			cut = strings.TrimRight(before, " ·,:、：") + "…"
		}
		if ansi.StringWidthWc(cut) <= width {
			return cut
		}
	}
	if width > 0 {
		return "…"
	}
	return ""
}

// CutMiddle truncates s to width cells, with "…" in the middle.
func CutMiddle(s string, width int) string {
	if len(s) <= width {
		return s
	}
	cells := ansi.StringWidthWc(s)
	if cells <= width {
		return s
	}
	left := ansi.TruncateWc(s, width/2, "")
	rest := strings.TrimPrefix(s, left)
	for out := cells - width + 1; out < cells; out++ { // plus one for "…"
		if cut := left + "…" + ansi.TruncateLeftWc(rest, out, ""); ansi.StringWidthWc(cut) <= width {
			return cut
		}
	}
	return CutEnd(s, width)
}

// Cut truncates text to most bytes. Truncated text is valid UTF-8.
func Cut(text string, most int) string {
	if len(text) <= most {
		return text
	}
	return strings.ToValidUTF8(text[:max(most, 0)], "")
}

// Clip truncates text to most bytes, plus "…", and makes it valid UTF-8. It does not remove control characters: Text
// and Line do.
func Clip(text string, most int) string {
	if len(text) <= most {
		return strings.ToValidUTF8(text, "\uFFFD")
	}
	return Cut(text, most) + "…"
}
