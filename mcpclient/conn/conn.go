// Package conn is one live connection to one MCP server, from dialing to its end: a process on stdio, a server over HTTP (streamable, or SSE for old
// ones), or a built-in server in this process.
//
// Requests go over mcp-go's transports as JSON-RPC, and results are read here as they came: a typed client drops much of them, and fails on a whole
// list because of one odd part. Nothing a server says is trusted: it may hang, die, lie about its tools or flood us. Its texts are passed on as they
// came, with secrets in them, and must pass sanitize on their way to a terminal.
//
// # Reading order
//
// conn.go has the front door and handshake.go what both sides agree on at the start. process.go, http.go and local.go dial each kind of server.
// request.go sends a request and waits, errors.go says what went wrong. tools.go, prompts.go and resources.go fetch what a server
// offers, call.go runs a tool, and result.go, message.go and contents.go read what comes of that. events.go and listen.go have what a
// server sends by itself. login.go is the interface of logins.
package conn

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"

	"github.com/mark3labs/mcp-go/client/transport"
	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"

	"github.com/aloudchat/aloud/mcpclient/elicit"
	"github.com/aloudchat/aloud/mcpclient/stdio"
)

// Server says where a server is, and how to talk to it. Exactly one of Local, Command and URL is set.
type Server struct {
	Local *server.MCPServer // runs in this process

	Command string // the program of a server on stdio
	Args    []string
	Env     map[string]string // added to a short inherited environment
	EnvVars []string          // names of variables passed on from ours
	Dir     string            // "": ours

	URL     string // of a server over HTTP
	SSE     bool   // it uses the old transport of before 2025-03-26
	Headers map[string]string
	Login   Login  // nil: none is tried
	CAFile  string // PEM certificates that it may be signed with, besides the system's

	Protocol string // a pinned revision of MCP; "": the newest that both know
	Source   Source // of its tools: its name, whether it is trusted, and which are wanted
	Log      *Log   // of what goes over the wire; may be nil
}

// Conn is one live connection to a server. All methods are safe for concurrent use. It starts no goroutine that outlives a call: run [Conn.Run] as
// long as the connection lasts, and close it in the end.
type Conn struct {
	server    Server
	transport transport.Interface
	requests  *elicit.Requests
	process   *stdio.Transport                                  // nil: it is none
	web       *web                                              // nil: it is not over HTTP
	reply     func(context.Context, *transport.JSONRPCResponse) // sends the answer to what the server asked; nil: it asks nothing
	lost      <-chan struct{}                                   // closed when the server is gone; nil: only a request finds that out
	stopped   chan struct{}
	stopOnce  sync.Once
	listened  chan struct{} // closed once the stream of announcements of before 2026-07-28 is open, or known not to be
	listenOne sync.Once
	ids       atomic.Int64

	// agreed in the handshake
	revision atomic.Value // string
	offered  mcp.ClientCapabilities
	can      mcp.ServerCapabilities
	about    []string

	events events
}

// Dial connects to a server, whose questions a answers. ctx bounds the dialing, life what goes on after. The error says in one sentence why there is
// no connection, with what a process wrote last (see [Output]).
func Dial(ctx, life context.Context, to Server, a *elicit.Handler) (*Conn, error) {
	switch {
	case to.Local != nil:
		return dialLocal(ctx, life, to, a)
	case to.Command != "":
		return dialProcess(ctx, life, to, a)
	case to.URL != "":
		return dialURL(ctx, life, to, a)
	default:
		return nil, errors.New(`has neither "command" nor "url": one of them says where it is`)
	}
}

// Line is a transport that is there already.
type Line struct {
	Transport transport.Interface
	Requests  *elicit.Requests // what the server asks over it
	Lost      <-chan struct{}  // closed when the server is gone; nil: only a request finds that out
}

// Over makes a connection over a transport that is there already.
func Over(ctx, life context.Context, line Line, to Server) (*Conn, error) {
	c := newConn(to, line.Transport, line.Requests)
	c.lost = line.Lost
	return c, c.start(ctx, life, to.Protocol)
}

func newConn(to Server, t transport.Interface, q *elicit.Requests) *Conn {
	c := &Conn{server: to, transport: t, requests: q, stopped: make(chan struct{}), listened: make(chan struct{}), events: newEvents()}
	c.revision.Store("")
	return c
}

// Stop ends all requests under way at once, for a caller that is going to close the connection and knows why.
func (c *Conn) Stop() { c.stopOnce.Do(func() { close(c.stopped) }) }

// Close ends the connection, and the process if there is one, and waits for that.
func (c *Conn) Close() {
	c.requests.Close()
	_ = c.transport.Close()
	if c.web != nil {
		c.web.close()
	}
}

// Err says why the connection was lost, with what a process wrote last. It is nil as long as the loss is not known.
func (c *Conn) Err() error {
	select {
	case <-c.lost:
	default:
		return nil
	}
	if c.process == nil {
		return errLost
	}
	return WithOutput(c.process.Err(), c.Output())
}

var errLost = errors.New("the connection was lost")

// About says in a few words each what the server calls itself, and what is odd about the connection.
func (c *Conn) About() []string { return c.about }

// Output returns the last lines that a process wrote for people.
func (c *Conn) Output() []string {
	if c.process == nil {
		return nil
	}
	return c.process.Tail()
}
