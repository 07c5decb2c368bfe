package arguments

import (
	"strconv"
	"strings"
	"unicode/utf8"
)

// clip cuts a text to so many runes.
func clip(text string, runes int) string {
	for i := range text {
		if runes == 0 {
			return text[:i] + "…"
		}
		runes--
	}
	return text
}

// quoted is a text in quotes, clipped, with nothing in it that is not seen.
func quoted(text string, runes int) string {
	if len(text) > (runes+1)*utf8.UTFMax {
		text = text[:(runes+1)*utf8.UTFMax]
	}
	return strconv.Quote(clip(strings.ToValidUTF8(text, "\uFFFD"), runes))
}
