package conn

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"net"
	"net/url"
	"strings"

	"github.com/aloudchat/aloud/internal/sanitize"
	"github.com/aloudchat/aloud/mcpclient"
	"github.com/aloudchat/aloud/mcpclient/jsonrpc"
)

// The kinds of an Error.
var (
	// ErrSessionLost means that the server no longer knows the session and did not process the request, which may be
	// sent again.
	ErrSessionLost = errors.New("the server does not know this session any more")

	// ErrSessionEnded means that the server seems to have lost the session, and may have processed the request. It may be
	// sent again if it changes nothing.
	ErrSessionEnded = errors.New("the server accepted the request and lost the session, so it may have been processed")

	// errHalfDone means that the server accepted the request and then exited. The request must not be sent again.
	errHalfDone = errors.New("the server accepted the request and became unreachable, so it may have been processed")

	errRefused = errors.New("the server refused")
	errStopped = errors.New("the connection was closed")
	errNotMCP  = errors.New("the response is not valid MCP")
	errWrongID = errors.New("the response has the id of another request")
	errOddList = errors.New("invalid list")
	errNothing = errors.New("the response has neither a result nor an error")
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
	if e, ok := errors.AsType[*url.Error](err); ok {
		err = e.Err
	}
	text := err.Error()
	switch {
	case errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF):
		text = "the server closed the connection without a response"
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

// errorOf returns the error that a server sent. Its Kind is e.
func errorOf(e *jsonrpc.Error) error {
	return &Error{Kind: e, Text: fmt.Sprintf("error %d: %s", e.Code, cmp.Or(clip(e.Message), "no message"))}
}

// hasCode reports whether a server sent a JSON-RPC error with this code.
func hasCode(err error, code int64) bool {
	e, ok := errors.AsType[*jsonrpc.Error](err)
	return ok && e.Code == code
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

// LoginError returns the error about a login in err, if any.
func LoginError(err error) (*Error, bool) {
	e, ok := errors.AsType[*Error](err)
	return e, ok && (errors.Is(e.Kind, mcpclient.ErrLogin) || errors.Is(e.Kind, mcpclient.ErrLoginNeeded))
}
