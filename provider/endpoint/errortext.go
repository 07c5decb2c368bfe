package endpoint

import (
	"bytes"
	"encoding/json"
	"strings"

	"github.com/aloudchat/aloud/sanitize"
)

// ErrorText finds the reason in a JSON object that is an error: {"error": "…"}, {"error": {"message": "…"}}, and the
// forms of the many servers and proxies. It is "" when there is none.
func ErrorText(body []byte) string {
	if !bytes.HasPrefix(bytes.TrimSpace(body), []byte("{")) {
		return ""
	}
	return ErrorReason(body)
}

// errorLevels is how far inside an error its text is looked for. Each level costs another look at all that is in it.
const errorLevels = 6

// ErrorReason is the text of an error value: a string, an object with a message, or a list that begins with one of
// these. It is "" for any other value.
func ErrorReason(value json.RawMessage) string { return reasonWithin(value, errorLevels) }

func reasonWithin(value json.RawMessage, levels int) string {
	if levels == 0 || len(value) == 0 {
		return ""
	}
	var text string
	if json.Unmarshal(value, &text) == nil {
		return strings.TrimSpace(text)
	}
	var list []json.RawMessage
	if json.Unmarshal(value, &list) == nil && len(list) > 0 {
		return reasonWithin(list[0], levels-1)
	}
	var object map[string]json.RawMessage
	_ = json.Unmarshal(value, &object) // anything else has no reason
	for _, key := range []string{"error", "errors", "detail", "message", "error_message", "msg"} {
		if text := reasonWithin(object[key], levels-1); text != "" {
			return text
		}
	}
	return ""
}

// isPage reports whether a body looks like a web page, as proxies and other programs send one.
func isPage(body []byte) bool { return bytes.HasPrefix(bytes.TrimSpace(body), []byte("<")) }

// errorLine makes words from outside fit into a sentence: one safe line of bounded length.
func errorLine(words string) string {
	const most = 300 // characters
	words = sanitize.Line(sanitize.Cut(words, 4*most))
	if runes := []rune(words); len(runes) > most {
		words = string(runes[:most]) + "…"
	}
	return words
}
