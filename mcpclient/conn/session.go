package conn

import (
	"errors"
	"fmt"
	"net/http"

	"github.com/aloudchat/aloud/mcpclient/stdio"
	"github.com/aloudchat/aloud/sanitize"
)

// maxSessionText is the length of the body of a response that is searched for lostSession. Longer ones are web pages.
const maxSessionText = 4 << 10

// lostSession matches what servers say about an unknown session when they refuse a request.
var lostSession = sanitize.Pattern(`(?i)session[ _-]?id\b|server not initialized|` + aboutSession)

// onlyLostSession matches a message about an unknown session and nothing else. A call may fail because of other
// sessions, as in "browser session not found" and "session_id is required".
var onlyLostSession = sanitize.Pattern(`(?i)^([a-z ]{1,20}: )?(mcp[ -])?(server not initialized|` + aboutSession + `)`)

const aboutSession = `(no valid|no such|unknown|invalid|expired|invalid or expired) session\b|` +
	`session( id)?:?( \S+)? (not found|unknown|invalid|(has |is |was )?(been )?(expired|terminated|closed|ended)|` +
	`does not exist|no longer exists)\b`

// refusedSession returns an error if a server that refused a request over HTTP does not know the session. answer is
// the body as a message, if it is one.
func (c *Conn) refusedSession(
	request stdio.Message, response *http.Response, body []byte, answer *stdio.Message,
) error {
	text := string(body)
	if answer != nil {
		text = answer.Error.Message
	}
	switch status := response.StatusCode; {
	case status == http.StatusNotFound && (answer == nil || !c.isModern()): // whatever the text says
		return c.forget(nil, nil)
	case c.web.session.Load() != nil && mediaType(response) != "text/html" && saysLost(status, text):
		return c.forget(request.ID, answer)
	}
	return nil
}

// saysLost reports whether a refusal with a status and a text is about an unknown session.
func saysLost(status int, text string) bool {
	switch status {
	case http.StatusBadRequest, http.StatusGone, http.StatusServiceUnavailable:
		return len(text) <= maxSessionText && lostSession().MatchString(text)
	}
	return false
}

// undelivered returns ErrSessionLost for the error of a message that a server over SSE refused because it does not know
// the session, which is in the address. Other errors are returned unchanged.
func (c *Conn) undelivered(err error) error {
	refused, ok := errors.AsType[refusal](err)
	if !ok || c.agreed() == "" { // without a session, the address is wrong
		return err
	}
	if refused.status == http.StatusNotFound || saysLost(refused.status, refused.text) {
		return ErrSessionLost
	}
	return err
}

// answeredSession returns an error if a response says that the server does not know the session.
func (c *Conn) answeredSession(request, answer stdio.Message) error {
	if request.Method == methodInitialize || answer.Error == nil || c.web.session.Load() == nil ||
		!onlyLostSession().MatchString(answer.Error.Message) {
		return nil
	}
	return c.forget(request.ID, &answer)
}

// forget records that the server does not know the session, and returns ErrSessionLost. If answer is the response
// to the request with the id, it returns ErrSessionEnded, because that may be the error of a call that was processed.
func (c *Conn) forget(id []byte, answer *stdio.Message) error {
	c.web.forgotten.Store(true)
	if answer == nil || !answer.HasID(id) {
		return ErrSessionLost
	}
	err := errorOf(answer.Error)
	text := fmt.Sprintf("the server lost the session, so the request may have been processed: %v", err)
	return &Error{Kind: ErrSessionEnded, Text: text, Cause: err}
}
