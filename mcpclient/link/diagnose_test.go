package link

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"net"
	"testing"

	"github.com/aloudchat/aloud/mcpclient/asked"
	"github.com/aloudchat/aloud/mcpclient/fault"
	"github.com/mark3labs/mcp-go/client/transport"
	"github.com/mark3labs/mcp-go/mcp"
)

// leaver is a server over HTTP that goes: from its greeting on each request fails with the next of these errors, and the last for ever.
type leaver struct{ failures []error }

func (l *leaver) SendRequest(_ context.Context, r transport.JSONRPCRequest) (*transport.JSONRPCResponse, error) {
	if r.Method == string(mcp.MethodInitialize) {
		return &transport.JSONRPCResponse{JSONRPC: "2.0", ID: r.ID, Result: json.RawMessage(`{"protocolVersion":"2025-11-25","capabilities":{"tools":{}}}`)}, nil
	}
	failure := l.failures[0]
	if len(l.failures) > 1 {
		l.failures = l.failures[1:]
	}
	return nil, failure
}

func (l *leaver) Start(context.Context) error                                     { return nil }
func (l *leaver) SendNotification(context.Context, mcp.JSONRPCNotification) error { return nil }
func (l *leaver) SetNotificationHandler(func(mcp.JSONRPCNotification))            {}
func (l *leaver) Close() error                                                    { return nil }
func (l *leaver) GetSessionId() string                                            { return "" } //nolint:staticcheck // the interface's name

// Whether a request that broke off means that the server is gone is known only from the next one, or the one after it.
func TestAServerThatIsGoneIsFoundOutByItsRefusals(t *testing.T) {
	refused := &net.OpError{Op: "dial", Err: errors.New("connection refused")}
	idle := errors.New("http: server closed idle connection") // net/http's own, which has no name
	busy := errors.New("busy")
	for name, test := range map[string]struct {
		first error
		then  []error
		gone  bool
	}{
		"in the middle of an answer":        {io.ErrUnexpectedEOF, []error{refused}, true},
		"before it took the request in":     {idle, []error{refused}, true},
		"behind connections that were kept": {io.EOF, []error{idle, io.EOF, refused}, true},
		"only the way to it broke":          {io.EOF, []error{busy}, false},
		"it broke again and again":          {io.EOF, []error{io.EOF}, false},
		"it says what is wrong":             {busy, []error{refused}, false},
	} {
		t.Run(name, func(t *testing.T) {
			server := Server{URL: "http://shop.example", Protocol: mcp.LATEST_LEGACY_PROTOCOL_VERSION}
			line := Line{Transport: &leaver{test.then}, Questions: asked.New(&asked.Answerer{})}
			l, err := Over(t.Context(), t.Context(), line, server)
			if err != nil {
				t.Fatal(err)
			}
			defer l.Close()
			if err := l.Diagnose(t.Context(), test.first); fault.Unreachable(err) != test.gone || !test.gone && !errors.Is(err, test.first) {
				t.Errorf("it is %v", err)
			}
		})
	}
}
