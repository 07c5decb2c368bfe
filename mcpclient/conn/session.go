package conn

import (
	"cmp"
	"errors"
	"fmt"
	"net/http"

	"github.com/mark3labs/mcp-go/mcp"

	"github.com/aloudchat/aloud/internal/sanitize"
	"github.com/aloudchat/aloud/mcpclient/jsonrpc"
)

// maxSessionText is the length of the body of a response that is searched for lostSession. Longer ones are web pages.
const maxSessionText = 4 << 10

// The patterns of what servers say about a session that they do not know.
var (
	// clearlyUnknown and clearlyLost match texts that say nothing else, so that the request was not processed. A
	// session that expired may have expired during the request, unless its status is a refusal.
	clearlyUnknown = sanitize.Pattern(`(?i)` + saysOnly + `(` + unknown + `)` + saysNoMore)
	clearlyLost    = sanitize.Pattern(`(?i)` + saysOnly + `(` + unknown + `|` + expired + `)` + saysNoMore)

	// lostSession matches what may be about the session when a server refuses a request.
	lostSession = sanitize.Pattern(`(?i)session[ _-]?id\b|server not initialized|` + aboutSession)

	// onlyLostSession matches a message about a lost session and nothing else. A call may fail because of other
	// sessions, as in "browser session not found" and "session_id is required".
	onlyLostSession = sanitize.Pattern(`(?i)^([a-z ]{1,20}: )?(mcp[ -])?(server not initialized|` + aboutSession + `)`)
)

const (
	saysOnly   = `(^|"(error|message|detail)": ?")((\d{3} )?(bad request|not found|gone|error): ){0,2}(mcp[ -])?`
	saysNoMore = `(: \S+)?[.,;!]?("| please\b|\s*$)`

	unknown = `server not initialized|` +
		`(no valid|no such|unknown|missing|invalid|invalid or (expired|missing)) session([ -]?id)?( provided| header)?|` +
		`session([ -]?id)?:?( \S+)? (not found|not found or expired|unknown|invalid|does not exist|no longer exists)|` +
		`(missing mcp-session-id|(mcp-)?session-id header is (required|missing))( header)?|` +
		`no transport found for session([ -]?id)?`
	expired = `expired session([ -]?id)?|session([ -]?id)?:?( \S+)? (has |is |was )?(been )?expired`

	aboutSession = `(no valid|no such|unknown|invalid|missing|expired|invalid or expired) session\b|` +
		`session( id)?:?( \S+)? (not found|unknown|invalid|(has |is |was )?(been )?(expired|terminated|closed|ended)|` +
		`does not exist|no longer exists)\b`
)

// refusedSession returns an error if a server that refused a request over HTTP may not know the session. answer is the
// body as a message, if it is one.
func (c *Conn) refusedSession(
	request jsonrpc.Message, response *http.Response, body []byte, answer *jsonrpc.Message,
) error {
	text, cause := string(body), error(describeRefusal(response, body))
	if answer != nil {
		text, cause = answer.Error.Message, errorOf(answer.Error)
	}
	if response.StatusCode == http.StatusNotFound && (answer == nil || !c.isModern()) { // whatever the text says
		return c.forget(ErrSessionLost, cause)
	}
	if c.web.session.Load() == nil || mediaType(response) == "text/html" {
		return nil
	}
	kind := lossOf(response.StatusCode, text)
	if kind != nil && answer != nil && answer.HasID(request.ID) { // it may be the error of a call that was processed
		kind = ErrSessionEnded
	}
	return c.forget(kind, cause)
}

// lossOf returns ErrSessionLost if a refusal with a status and a text says clearly that the server does not know the
// session, ErrSessionEnded if it may be about that, and otherwise nil.
func lossOf(status int, text string) error {
	switch status {
	case http.StatusBadRequest, http.StatusGone, http.StatusServiceUnavailable:
		switch {
		case len(text) > maxSessionText:
			return nil
		case status != http.StatusServiceUnavailable && clearlyLost().MatchString(text):
			return ErrSessionLost
		case lostSession().MatchString(text): // 503 is often from a proxy, which may have forwarded the request
			return ErrSessionEnded
		}
	}
	return nil
}

// undelivered returns the error of a message that a server over SSE refused. It is ErrSessionLost or ErrSessionEnded if
// the server may not know the session, which is in the address.
func (c *Conn) undelivered(err error) error {
	refused, ok := errors.AsType[refusal](err)
	if !ok || c.agreed() == "" { // without a session, the address is wrong
		return err
	}
	kind := lossOf(refused.status, refused.text)
	if refused.status == http.StatusNotFound {
		kind = ErrSessionLost
	}
	return cmp.Or(c.forget(kind, err), err)
}

// answeredSession returns an error if a response says that the server does not know the session. A server that
// answers with a stream has accepted the request.
func (c *Conn) answeredSession(request, answer jsonrpc.Message, streamed bool) error {
	if request.Method == mcp.MethodInitialize || answer.Error == nil || c.web.session.Load() == nil ||
		!onlyLostSession().MatchString(answer.Error.Message) {
		return nil
	}
	kind := ErrSessionEnded
	if !streamed && !answer.HasID(request.ID) && clearlyUnknown().MatchString(answer.Error.Message) {
		kind = ErrSessionLost
	}
	return c.forget(kind, errorOf(answer.Error))
}

// forget records that the server does not know the session, and returns an error of a kind, unless that is nil.
func (c *Conn) forget(kind, cause error) error {
	if kind == nil {
		return nil
	}
	c.web.forgotten.Store(true)
	if errors.Is(kind, ErrSessionLost) {
		return kind
	}
	text := fmt.Sprintf("the session seems to be lost, and the request may have been processed: %v", cause)
	return &Error{Kind: kind, Text: text, Cause: cause}
}
