package endpoint

import (
	"bytes"
	"encoding/json"
	"strings"

	"github.com/aloudchat/aloud/internal/sanitize"
)

// ErrorText returns the message in a JSON object that reports an error, {"error": "…"} or one of the other forms that
// servers and proxies use. It returns "" for anything else.
func ErrorText(body []byte) string {
	if !bytes.HasPrefix(bytes.TrimSpace(body), []byte("{")) {
		return ""
	}
	return ErrorReason(body)
}

// maxErrorDepth limits the nesting of an error, because each level parses all the levels in it again.
const maxErrorDepth = 6

// ErrorReason returns the message of an error value: a string, an object with a message, or a list that begins with one
// of these. It returns "" for any other value.
func ErrorReason(value json.RawMessage) string { return reasonWithin(value, maxErrorDepth) }

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
	_ = json.Unmarshal(value, &object) // other values have no message
	for _, key := range []string{"error", "errors", "detail", "message", "error_message", "msg"} {
		if text := reasonWithin(object[key], levels-1); text != "" {
			return text
		}
	}
	return ""
}

// isPage reports whether a body looks like a web page.
func isPage(body []byte) bool { return bytes.HasPrefix(bytes.TrimSpace(body), []byte("<")) }

// errorLine returns untrusted text as one sanitized line of limited length.
func errorLine(text string) string {
	const limit = 300 // cells
	return sanitize.CutEnd(sanitize.Line(sanitize.Cut(text, 4*limit)), limit)
}
