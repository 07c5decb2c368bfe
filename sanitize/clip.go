package sanitize

import "strings"

// Cut returns at most so many bytes of a text. A text that is cut ends with a whole character, and what is no UTF-8 is
// left out of it.
func Cut(text string, most int) string {
	if len(text) <= most {
		return text
	}
	return strings.ToValidUTF8(text[:max(most, 0)], "")
}

// Clip returns at most so many bytes of a text, as valid UTF-8. Where something was cut off stands "…", which comes on
// top. What a terminal would obey stays: Text and Line are for that.
func Clip(text string, most int) string {
	if len(text) <= most {
		return strings.ToValidUTF8(text, "\uFFFD")
	}
	return Cut(text, most) + "…"
}
