package web

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"time"

	"github.com/aloudchat/aloud/sanitize"
)

// refuses tells whether a response cannot have an answer in it. One that was accepted has none for messages that want none.
func refuses(response *http.Response) bool {
	ok := response.StatusCode == http.StatusOK || response.StatusCode == http.StatusAccepted
	return !ok && (response.StatusCode >= 400 || response.StatusCode < 300)
}

// describeRefusal is the status and, when it is short and no web page, what the server says about it.
func describeRefusal(response *http.Response, body []byte) string {
	text := response.Status
	switch mediaType(response) {
	case "application/json":
		var reply struct {
			Error struct {
				Message string `json:"message"`
			} `json:"error"`
		}
		if json.Unmarshal(body, &reply) == nil && reply.Error.Message != "" {
			text += ": " + reply.Error.Message
		}
	case "text/plain":
		if line := strings.TrimSpace(string(body)); line != "" && len(line) < 200 {
			text += ": " + line
		}
	}
	if hint := next(response); hint != "" {
		text += ": " + hint
	}
	return sanitize.Line(text)
}

// next is what a person can do about a status of HTTP, "" when there is nothing to say.
func next(response *http.Response) string {
	switch response.StatusCode {
	case http.StatusUnauthorized, http.StatusForbidden:
		return "bearer_token_env_var or http_headers let us in"
	case http.StatusNotFound, http.StatusMethodNotAllowed:
		return "is the url right?"
	case http.StatusTooManyRequests, http.StatusServiceUnavailable:
		if pause, err := time.ParseDuration(response.Header.Get("Retry-After") + "s"); err == nil && pause > 0 {
			layout := time.TimeOnly
			if pause > 12*time.Hour {
				layout = time.DateTime
			}
			return fmt.Sprintf("it asks to be left alone until %s", time.Now().Add(pause).Format(layout))
		}
		return "it has too much to do: try again later"
	case http.StatusBadGateway, http.StatusGatewayTimeout:
		return "the server behind it is not running"
	}
	return ""
}
