package status

import (
	"strings"

	"github.com/charmbracelet/x/ansi"
)

// Cutting and measuring do not always agree on joined emoji, so both functions look at what they made and cut once more if need be.

// cutEnd makes s at most width cells by taking off its end.
func cutEnd(s string, width int) string {
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

// cutMiddle makes s at most width cells by taking out its middle.
func cutMiddle(s string, width int) string {
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
	return cutEnd(s, width)
}
