// Package fault says in our words what went wrong with a server: in one line that a person understands, without addresses in which secrets may
// stand, and without losing what errors.Is and errors.AsType know of it.
package fault

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/url"
	"strings"

	"github.com/aloudchat/aloud/mcpclient/login"
	"github.com/aloudchat/aloud/mcpclient/stdio"
	"github.com/aloudchat/aloud/sanitize"
	"github.com/mark3labs/mcp-go/client/transport"
	"github.com/mark3labs/mcp-go/mcp"
)

var errNotMCP = errors.New("its answer is not what MCP asks for")

// Of takes off what libraries wrap around an error that says it all, and with it URLs, in which secrets may stand. What they say in their own
// words it says in ours, on one line.
func Of(err error) error {
	if whole, ok := errors.AsType[*login.Error](err); ok {
		return whole
	}
	if refused, ok := errors.AsType[*Refused](err); ok {
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
		return &Worded{errNotMCP.Error(), err}
	case foreign:
		return &Refused{fmt.Sprintf("it speaks the MCP revision %.40q, which aloud does not know: try another version of the server", other.Version), err}
	case errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF):
		return &Worded{"it closed the connection without an answer", err}
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
	if said := Short(text); said != text { // a whole web page, usually
		return &Worded{said, err}
	}
	return err
}

// Worded is an error that says in our words what another error says in its own, and matches what that one matches.
type Worded struct {
	Text  string
	Cause error
}

func (e *Worded) Error() string { return e.Text }
func (e *Worded) Unwrap() error { return e.Cause }

// Refused is what a server said no with, in its words and ours.
type Refused struct {
	Text  string
	Cause error
}

func (e *Refused) Error() string { return e.Text }
func (e *Refused) Unwrap() error { return e.Cause }

// Short keeps what a server says of itself to a few lines.
func Short(text string) string { return sanitize.Line(sanitize.Clip(text, 400)) }

// Answered is an error that a server answered with.
func Answered(e *mcp.JSONRPCErrorDetails) error {
	message := Short(e.Message)
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

// Unreachable tells whether no connection comes about: nothing was sent.
func Unreachable(err error) bool {
	op, ok := errors.AsType[*net.OpError](err)
	return ok && op.Op == "dial"
}
