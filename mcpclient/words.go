package mcpclient

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/aloudchat/aloud/mcpclient/login"
	"github.com/aloudchat/aloud/mcpclient/stdio"
	"github.com/aloudchat/aloud/sanitize"
	"github.com/mark3labs/mcp-go/client/transport"
	"github.com/mark3labs/mcp-go/mcp"
)

var errNotMCP = errors.New("its answer is not what MCP asks for")

// reason takes off what libraries wrap around an error that says it all, and with it URLs, in which secrets may stand. What they say in their own
// words it says in ours, on one line.
func reason(err error) error {
	if whole, ok := errors.AsType[*login.Error](err); ok {
		return whole
	}
	if refused, ok := errors.AsType[*refusedError](err); ok {
		return refused
	}
	if e, ok := errors.AsType[*transport.Error](err); ok {
		err = e.Err
	}
	if e, ok := errors.AsType[*url.Error](err); ok {
		err = e.Err
	}
	_, odd := errors.AsType[*json.UnmarshalTypeError](err)
	_, broken := errors.AsType[*json.SyntaxError](err)
	other, foreign := errors.AsType[mcp.UnsupportedProtocolVersionError](err)
	switch {
	case odd || broken || foreign && other.Version == "":
		return &reasonError{errNotMCP.Error(), err}
	case foreign:
		return &refusedError{fmt.Sprintf("it speaks the MCP revision %.40q, which aloud does not know: try another version of the server", other.Version), err}
	case errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF):
		return &reasonError{"it closed the connection without an answer", err}
	}
	text := err.Error()
	if kind, found := strings.CutPrefix(text, "unexpected content type: "); found && kind == "" {
		return errors.New("its answer does not say what it is, so it is no MCP: is the url right?")
	} else if found {
		return fmt.Errorf("its answer is of the type %.60q, which is no MCP: is the url right?", kind)
	}
	switch {
	case strings.HasPrefix(text, "response should contain RPC id"):
		return errNotMCP
	case strings.Contains(text, "parse Location header"):
		return errors.New("it sends us on to an address that is none")
	case strings.Contains(text, "malformed HTTP response"):
		return errors.New("what answers there does not speak HTTP: is the url right?")
	}
	if said := sanitize.Line(shorten(text)); said != text { // a whole web page, usually
		return &reasonError{said, err}
	}
	return err
}

// reasonError says in our words what another error says in its own, and matches what that one matches.
type reasonError struct {
	text  string
	cause error
}

func (e *reasonError) Error() string { return e.text }
func (e *reasonError) Unwrap() error { return e.cause }

// refusedError is what a server said no with, in its words and ours.
type refusedError struct {
	text  string
	cause error
}

func (e *refusedError) Error() string { return e.text }
func (e *refusedError) Unwrap() error { return e.cause }

// shorten keeps what a server says of itself to a few lines.
func shorten(text string) string { return shortenTo(400, text) }

// shortenTo keeps so many bytes.
func shortenTo(most int, text string) string {
	if len(text) <= most {
		return text
	}
	return strings.ToValidUTF8(text[:most], "") + "…"
}

// saidError is an error that a server answered with.
func saidError(e *mcp.JSONRPCErrorDetails) error {
	message := sanitize.Line(shorten(e.Message))
	if ours, ok := e.Data.(stdio.Unreadable); ok {
		return errors.New(string(ours))
	}
	switch {
	case message == "" && e.Code == 0:
		return errors.New("it answered with an error and not a word about it")
	case message == "":
		return fmt.Errorf("it answered with error %d and not a word about it", e.Code)
	default:
		return fmt.Errorf("it answered with error %d: %s", e.Code, message)
	}
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
			return fmt.Sprintf("it asks to be left alone until %s", time.Now().Add(pause).Format("15:04:05"))
		}
		return "it has too much to do: try again later"
	case http.StatusBadGateway, http.StatusGatewayTimeout:
		return "the server behind it is not running"
	}
	return ""
}
