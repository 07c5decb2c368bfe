package builtin

import (
	"bytes"
	"context"
	"crypto/sha256"
	"crypto/subtle"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/mark3labs/mcp-go/server"
	"golang.org/x/net/netutil"

	"github.com/aloudchat/aloud/netaddr"
)

// What visitors over HTTP may take, all together or each.
const (
	maxVisitors = 64                // connections at a time
	maxRequest  = 16 << 20          // bytes: a file to write, and what JSON makes of it
	sessionRest = 30 * time.Minute  // after which an idle session is forgotten
	farewell    = 2 * time.Second   // for answers under way when serving ends
	headerTime  = 10 * time.Second  // to say what is wanted
	bodyTime    = 60 * time.Second  // to say it
	idleTime    = 120 * time.Second // of a connection between requests
)

// HTTPPath is where ServeHTTP has its server.
const HTTPPath = "/mcp"

// ListenHTTP opens the address that ServeHTTP serves on: "8080", ":8080" and "127.0.0.1:8080" are all on this machine only, and port 0 is any.
// An address that other machines can reach needs a token.
func ListenHTTP(ctx context.Context, address, token string) (net.Listener, error) {
	if !strings.Contains(address, ":") {
		address = ":" + address
	}
	host, port, err := net.SplitHostPort(address)
	if err != nil {
		return nil, fmt.Errorf("%q is no address; write it like 127.0.0.1:8080", address)
	}
	switch {
	case host == "":
		host = "127.0.0.1"
	case !netaddr.Loopback(host) && token == "":
		return nil, fmt.Errorf("%q can be reached from other machines, and whoever reaches it may use the server; set a token, or serve on 127.0.0.1", host)
	}
	listener, err := new(net.ListenConfig).Listen(ctx, "tcp", net.JoinHostPort(host, port))
	if err != nil {
		return nil, fmt.Errorf("nothing can be served on %q: %w; take another port", address, errors.Unwrap(err))
	}
	return netutil.LimitListener(listener, maxVisitors), nil
}

// ServeHTTP answers clients over streamable HTTP at HTTPPath until ctx ends, and closes the listener. With a token only those who send it as their
// bearer token are let in.
func ServeHTTP(ctx context.Context, s *server.MCPServer, listener net.Listener, token string) error {
	answers := server.NewStreamableHTTPServer(s, server.WithStateful(true), server.WithSessionIdleTTL(sessionRest),
		server.WithStreamableHTTPLogger(slog.New(slog.DiscardHandler)))
	routes := http.NewServeMux()
	routes.Handle(HTTPPath, answers)
	web := &http.Server{
		Handler: guard{routes, token}, ReadHeaderTimeout: headerTime, IdleTimeout: idleTime, MaxHeaderBytes: 64 << 10,
		ErrorLog:    slog.NewLogLogger(slog.DiscardHandler, slog.LevelError),
		BaseContext: func(net.Listener) context.Context { return ctx }, // streams end with it
	}
	served := make(chan error, 1)
	go func() { served <- web.Serve(listener) }()
	var err error
	select {
	case err = <-served:
	case <-ctx.Done():
	}
	closing, cancel := context.WithTimeout(context.WithoutCancel(ctx), farewell)
	defer cancel()
	if web.Shutdown(closing) != nil {
		web.Close()
	}
	_ = answers.Shutdown(closing)
	if err == nil {
		if late := <-served; !errors.Is(late, http.ErrServerClosed) {
			err = late
		}
	}
	return err
}

// guard refuses pages in a browser, and clients without the token. mcp-go refuses host names that a page has made point to this machine.
type guard struct {
	next  http.Handler
	token string
}

func (g guard) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	switch {
	case !g.sameOrigin(r):
		w.Header().Set("Connection", "close") // a refused client must not take the place of another
		http.Error(w, fmt.Sprintf("pages of %.100q may not use this server", r.Header.Get("Origin")), http.StatusForbidden)
	case g.token != "" && !same(r.Header.Get("Authorization"), "Bearer "+g.token):
		w.Header().Set("Connection", "close")
		w.Header().Set("WWW-Authenticate", "Bearer")
		http.Error(w, "send the token of this server as a bearer token", http.StatusUnauthorized)
	default:
		// The server's own ReadTimeout would end streams, too.
		connection := http.NewResponseController(w)
		_ = connection.SetReadDeadline(time.Now().Add(bodyTime))
		body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxRequest))
		if err != nil {
			w.Header().Set("Connection", "close")
			http.Error(w, "the request is too long, or did not come in time", http.StatusBadRequest)
			return
		}
		_ = connection.SetReadDeadline(time.Time{})
		r.Body = io.NopCloser(bytes.NewReader(body))
		g.next.ServeHTTP(w, r)
	}
}

// sameOrigin reports whether a request comes from no page, or from a page of the host that it goes to.
func (g guard) sameOrigin(r *http.Request) bool {
	origin := r.Header.Get("Origin")
	if origin == "" {
		return true
	}
	from, err := url.Parse(origin)
	if err != nil || from.Host == "" {
		return false
	}
	return strings.EqualFold(from.Host, r.Host) || netaddr.Loopback(from.Hostname()) && netaddr.Loopback((&url.URL{Host: r.Host}).Hostname())
}

// same compares without telling by its time how much is right.
func same(a, b string) bool {
	x, y := sha256.Sum256([]byte(a)), sha256.Sum256([]byte(b))
	return subtle.ConstantTimeCompare(x[:], y[:]) == 1
}
