package sanitize

import "strings"

// Clip returns at most so many bytes of a text, as valid UTF-8. Where something was cut off stands "…", which comes on top. What a terminal would
// obey stays: Text and Line are for that.
func Clip(text string, most int) string {
	if len(text) <= most {
		return strings.ToValidUTF8(text, "\uFFFD")
	}
	return strings.ToValidUTF8(text[:most], "") + "…"
}
