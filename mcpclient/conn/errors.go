package conn

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"regexp"
	"strings"

	"github.com/mark3labs/mcp-go/client/transport"
	"github.com/mark3labs/mcp-go/mcp"

	"github.com/aloudchat/aloud/sanitize"
)

// The kinds of an Error.
var (
	// ErrUnconfirmed means that the server may still be working on a cancelled call.
	ErrUnconfirmed = errors.New("the server may still be working on it")

	// ErrUnasked means that a call was cancelled before it was sent.
	ErrUnasked = errors.New("it was not sent to the server")

	// ErrSessionLost means that the server no longer knows the session and did not process the request, which may be
	// sent again.
	ErrSessionLost = errors.New("the server does not know this session any more")

	// errSessionEnded means that the server lost the session while it processed the request, which must not be sent again.
	errSessionEnded = errors.New("the server accepted the request and lost the session, so it may have been processed")

	// errHalfDone means that the server accepted the request and then exited. The request must not be sent again.
	errHalfDone = errors.New("the server accepted the request and became unreachable, so it may have been processed")

	errRefused = errors.New("the server refused")
	errStopped = errors.New("the connection was closed")
	errNotMCP  = errors.New("the response is not valid MCP")
)

// Error is an error with its own text, which contains no URLs because those may hold secrets. It matches Kind and
// Cause.
type Error struct {
	Kind  error // one of the errors above, or nil
	Text  string
	Cause error // may be nil

	output []string // the last output of a process
}

func (e *Error) Error() string   { return e.Text }
func (e *Error) Unwrap() []error { return []error{e.Kind, e.Cause} }

// explain returns an error of a library as one short line, without wrappers and URLs.
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
		text = "the server closed the connection without a response"
	case typed:
		text = fmt.Sprintf("the response has content type %.60q, which is not MCP. Check the url", kind)
	case strings.Contains(text, "parse Location header"):
		text = "the server redirects to an invalid address"
	case strings.Contains(text, "malformed HTTP response"):
		text = "the response is not HTTP. Check the url"
	default:
		text = clip(text) // often a whole web page
	}
	if text == err.Error() {
		return err
	}
	return &Error{Text: text, Cause: err}
}

// clip shortens a text of a server to one line.
func clip(text string) string { return sanitize.Line(sanitize.Clip(text, 400)) }

// responseError is the Kind of an error that a server sent.
type responseError struct {
	code    int
	message string
}

func (e responseError) Error() string { return e.message }

// errorOf returns the error that a server sent.
func errorOf(e *mcp.JSONRPCErrorDetails) error {
	message := clip(e.Message)
	text := fmt.Sprintf("error %d: %s", e.Code, cmp.Or(message, "no message"))
	return &Error{Kind: responseError{e.Code, message}, Text: text}
}

// hasCode reports whether a server sent a JSON-RPC error with this code.
func hasCode(err error, code int) bool {
	e, ok := errors.AsType[responseError](err)
	return ok && e.code == code
}

// Unreachable reports whether connecting failed, so that nothing was sent.
func Unreachable(err error) bool {
	op, ok := errors.AsType[*net.OpError](err)
	return ok && op.Op == "dial"
}

// WithOutput returns err with the last output of a process.
func WithOutput(err error, output []string) error {
	e := Error{Text: err.Error(), Cause: err}
	if inner, ok := errors.AsType[*Error](err); ok && inner.Text == e.Text {
		e = *inner
	}
	e.output = output
	return &e
}

// Output returns the last output of the process before err, if known.
func Output(err error) []string {
	if e, ok := errors.AsType[*Error](err); ok {
		return e.output
	}
	return nil
}

// lostSession matches the messages of common libraries about an unknown session.
var lostSession = regexp.MustCompile(`(?i)session not found|session[ -]id|(unknown|invalid|expired) session`)

// forgotSession reports whether a server does not know the session and says so with status 400. mcp-go handles 404.
func forgotSession(status int, r *transport.JSONRPCResponse) bool {
	return status == http.StatusBadRequest && r.Error != nil && r.ID.IsNil() && lostSession.MatchString(r.Error.Message)
}
