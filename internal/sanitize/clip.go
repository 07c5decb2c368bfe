package sanitize

import "strings"

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
