package conn

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"strings"

	"github.com/mark3labs/mcp-go/client/transport"
	"github.com/mark3labs/mcp-go/mcp"

	"github.com/aloudchat/aloud/sanitize"
)

// The kinds of an Error.
var (
	// ErrUnconfirmed: a call was given up while its server may still be working on it. The server could not be told, did not take it in, or is
	// busy.
	ErrUnconfirmed = errors.New("the server may still be working on it")

	// ErrUnasked: a call was given up before any of it was sent.
	ErrUnasked = errors.New("the server was not asked yet")

	// ErrSessionLost: the server no longer knows the session and has not looked at the request, which may be sent again.
	ErrSessionLost = errors.New("the server has forgotten our session")

	// errSessionEnded: the server took the request and lost the session before it answered. The request must not be sent again.
	errSessionEnded = errors.New("it took this in and then forgot our session, so it may have been done all the same")

	// errHalfDone: the server took the request and cannot be reached for the rest of it. The request must not be sent again, either.
	errHalfDone = errors.New("it took this in and is gone since, so it may have been done all the same")

	errRefused = errors.New("the server refused") // in words that need no others around them
	errStopped = errors.New("the connection was ended")
)

// Error says in one sentence what went wrong with a server. The text has no URLs, which may hold secrets. errors.Is matches its Kind and its Cause.
type Error struct {
	Kind  error // one of the errors above, or nil
	Text  string
	Cause error // may be nil

	output []string // what a process wrote last
}

func (e *Error) Error() string   { return e.Text }
func (e *Error) Unwrap() []error { return []error{e.Kind, e.Cause} }

// errNotMCP is for answers that nothing can be made of.
var errNotMCP = errors.New("its answer is not what MCP asks for")

// explain removes what libraries wrap around an error that says enough, with the URLs in it, and puts what they say into our words, on one line.
func explain(err error) error {
	if ours, ok := errors.AsType[*Error](err); ok {
		return ours
	}
	if e, ok := errors.AsType[*transport.Error](err); ok {
		err = e.Err
	}
	if e, ok := errors.AsType[*url.Error](err); ok {
		err = e.Err
	}
	_, odd := errors.AsType[*json.UnmarshalTypeError](err)
	_, broken := errors.AsType[*json.SyntaxError](err)
	text := err.Error()
	kind, typed := strings.CutPrefix(text, "unexpected content type: ")
	switch {
	case odd || broken || strings.HasPrefix(text, "response should contain RPC id"):
		text = errNotMCP.Error()
	case errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF):
		text = "it closed the connection without an answer"
	case typed:
		text = fmt.Sprintf("its answer is of the type %.60q, which is no MCP: is the url right?", kind)
	case strings.Contains(text, "parse Location header"):
		text = "it sends us on to an address that is none"
	case strings.Contains(text, "malformed HTTP response"):
		text = "what answers there does not speak HTTP: is the url right?"
	default:
		text = clip(text) // a whole web page, usually
	}
	if text == err.Error() {
		return err
	}
	return &Error{Text: text, Cause: err}
}

// clip shortens what a server says of itself to a few lines.
func clip(text string) string { return sanitize.Line(sanitize.Clip(text, 400)) }

// answered is the error of a request that the server answered with one.
func answered(e *mcp.JSONRPCErrorDetails) error {
	said := clip(e.Message)
	text := fmt.Sprintf("it answered with error %d: %s", e.Code, said)
	if said == "" {
		text = fmt.Sprintf("it answered with error %d without a message", e.Code)
	}
	return &Error{Kind: errorAnswer{e.Code, said}, Text: text}
}

// errorAnswer is the kind of an error that a server answered with.
type errorAnswer struct {
	code int
	said string
}

func (e errorAnswer) Error() string { return e.said }

// hasCode reports whether a server answered with the JSON-RPC error of this code.
func hasCode(err error, code int) bool {
	e, ok := errors.AsType[errorAnswer](err)
	return ok && e.code == code
}

// Unreachable reports whether no connection came about: nothing was sent.
func Unreachable(err error) bool {
	op, ok := errors.AsType[*net.OpError](err)
	return ok && op.Op == "dial"
}

// WithOutput returns err with what the server's process wrote last.
func WithOutput(err error, output []string) error {
	e := Error{Text: err.Error(), Cause: err}
	if whole, ok := errors.AsType[*Error](err); ok && whole.Text == e.Text {
		e = *whole
	}
	e.output = output
	return &e
}

// Output returns what the server's process wrote before err, if that is known.
func Output(err error) []string {
	if e, ok := errors.AsType[*Error](err); ok {
		return e.output
	}
	return nil
}

// forgotSession reports whether a server says that it does not know our session: in the name of no request, and with 400. (mcp-go knows 404.) The
// words are those of the usual libraries.
func forgotSession(status int, r *transport.JSONRPCResponse) bool {
	if status != http.StatusBadRequest || r.Error == nil || !r.ID.IsNil() {
		return false
	}
	said := strings.ToLower(r.Error.Message)
	for _, words := range []string{"session not found", "session id", "session-id", "unknown session", "invalid session", "expired session"} {
		if strings.Contains(said, words) {
			return true
		}
	}
	return false
}
