// Package conn is one connection to one MCP server: a process on stdio, a server over HTTP (streamable, or the old
// SSE), or a built-in server in this process.
//
// It parses results itself, because a typed client drops parts of them and rejects a whole list if one item is
// invalid. Servers are not trusted: they may hang, exit, send false tool hints or flood the client. Their texts are
// returned unchanged, may contain secrets, and must pass sanitize before they are displayed.
//
// # Reading order
//
// Start with conn.go and handshake.go. process.go, local.go, streamable.go and sse.go dial each kind of server;
// session.go recognises lost sessions, and http.go and stream.go have what the last two share. request.go sends a
// request and waits, errors.go explains errors. tools.go, prompts.go and resources.go list what a server offers.
// call.go calls a tool, and result.go, message.go and contents.go parse results. structure.go and repeats.go judge
// structured content. events.go and listen.go handle notifications and requests of the server.
package conn

import (
	"context"
	"errors"
	"log/slog"
	"sync"
	"sync/atomic"

	"github.com/aloudchat/aloud/mcpclient"
	"github.com/aloudchat/aloud/mcpclient/elicit"
	"github.com/aloudchat/aloud/mcpclient/jsonrpc"
)

// Conn is one connection to a server. All methods are safe for concurrent use. The caller must run [Conn.Run] while
// the connection lasts, and Close it in the end.
type Conn struct {
	server    mcpclient.Server
	requests  *elicit.Requests
	log       *wireLog
	wire      *jsonrpc.Wire   // nil over streamable HTTP
	output    func() []string // the last output of a process; may be nil
	web       *web            // nil if the server is not over HTTP
	closing   func()          // ends the wire or the session
	stopped   chan struct{}
	stopOnce  sync.Once
	listened  chan struct{} // closed when the GET stream of a legacy server is open, or known to be missing
	listenOne sync.Once
	ids       atomic.Int64
	hasTools  atomic.Bool // it has listed a tool

	// agreed in the handshake
	revision atomic.Value // string
	can      capabilities
	about    []string

	events events
}

// Dial connects to a server, whose requests h handles. ctx limits only the dialing. heard is called for every request
// and notification of a process; it may be nil. The error contains the last output of a process (see [Output]).
func Dial(ctx context.Context, to mcpclient.Server, h *elicit.Handler, heard func()) (*Conn, error) {
	if to.Protocol == "auto" {
		to.Protocol = ""
	}
	switch {
	case to.Broken != nil:
		return nil, to.Broken
	case to.Local != nil:
		return dialLocal(ctx, to, h)
	case to.Command != "":
		return dialProcess(ctx, to, h, heard)
	case to.URL != "":
		return dialURL(ctx, to, h)
	default:
		return nil, errors.New(`has neither "command" nor "url". Set one of them`)
	}
}

func newConn(to mcpclient.Server, h *elicit.Handler) *Conn {
	to.Trusted = to.Trusted || to.Local != nil
	c := &Conn{
		server: to, requests: elicit.NewRequests(h), log: newWireLog(slog.Default(), to.Name, h.Secrets),
		stopped: make(chan struct{}), listened: make(chan struct{}), events: newEvents(),
	}
	c.revision.Store("")
	return c
}

// Stop ends all pending requests at once. The caller must close the connection afterwards.
func (c *Conn) Stop() { c.stopOnce.Do(func() { close(c.stopped) }) }

// Close closes the connection, ends the process if there is one, and waits for its end.
func (c *Conn) Close() {
	c.requests.Close()
	c.closing()
}

// lost returns a channel that is closed when the server is gone. It is nil if only a failed request shows that.
func (c *Conn) lost() <-chan struct{} {
	if c.wire == nil {
		return nil
	}
	return c.wire.Gone()
}

// Err returns why the connection was lost, with the last output of a process. It returns nil while the connection is
// not known to be lost.
func (c *Conn) Err() error {
	select {
	case <-c.lost():
		return WithOutput(c.wire.Err(), c.Output())
	default:
		return nil
	}
}

// About returns the server's name for itself, and remarks about the connection.
func (c *Conn) About() []string { return c.about }

// Output returns the last lines of output of a process that were not messages.
func (c *Conn) Output() []string {
	if c.output == nil {
		return nil
	}
	return c.output()
}
