package sanitize

import (
	"strings"

	"github.com/charmbracelet/x/ansi"
)

// Cutting and measuring do not always agree on joined emoji, so both functions look at what they made and cut once more
// if need be.

// CutEnd makes s at most width cells by taking off its end.
func CutEnd(s string, width int) string {
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

// CutMiddle makes s at most width cells by taking out its middle.
func CutMiddle(s string, width int) string {
	cells := ansi.StringWidthWc(s)
	if cells <= width {
		return s
	}
	left := ansi.TruncateWc(s, width/2, "")
	rest := strings.TrimPrefix(s, left)
	for out := cells - width + 1; out < cells; out++ { // one more than too many, for the mark
		if cut := left + "…" + ansi.TruncateLeftWc(rest, out, ""); ansi.StringWidthWc(cut) <= width {
			return cut
		}
	}
	return CutEnd(s, width)
}
