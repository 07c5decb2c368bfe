package builtin

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"strings"
	"time"

	"github.com/mark3labs/mcp-go/server"

	"github.com/aloudchat/aloud/netaddr"
)

// Serve answers one client on in and out until in ends, or until ctx ends.
func Serve(ctx context.Context, s *server.MCPServer, in io.Reader, out io.Writer) error {
	if err := server.NewStdioServer(s).Listen(ctx, in, out); ctx.Err() == nil {
		return err
	}
	return nil
}

// HTTPPath is where ServeHTTP has its server.
const HTTPPath = "/mcp"

// ListenHTTP opens the address that ServeHTTP serves on, of this machine only: "8080", ":8080" or "127.0.0.1:8080".
// Port 0 is any.
func ListenHTTP(ctx context.Context, address string) (net.Listener, error) {
	if !strings.Contains(address, ":") {
		address = ":" + address
	}
	host, port, err := net.SplitHostPort(address)
	switch {
	case err != nil:
		return nil, fmt.Errorf("%q is no address; write it like 127.0.0.1:8080", address)
	case host == "":
		host = "127.0.0.1"
	case !netaddr.Loopback(host):
		return nil, fmt.Errorf("%q can be reached from other machines; serve on 127.0.0.1, and let others in through ssh or a proxy", host)
	}
	listener, err := new(net.ListenConfig).Listen(ctx, "tcp", net.JoinHostPort(host, port))
	if err != nil {
		return nil, fmt.Errorf("nothing can be served on %q: %w; take another port", address, errors.Unwrap(err))
	}
	return listener, nil
}

// ServeHTTP answers clients over streamable HTTP at HTTPPath until ctx ends, and closes the listener. Pages in a browser are refused; mcp-go
// refuses host names that a page has made point to this machine.
func ServeHTTP(ctx context.Context, s *server.MCPServer, listener net.Listener) error {
	const largest = 16 << 20 // bytes of a request: a file to write, and what JSON makes of it
	answers := server.NewStreamableHTTPServer(s, server.WithStateful(true), server.WithSessionIdleTTL(30*time.Minute),
		server.WithStreamableHTTPLogger(slog.New(slog.DiscardHandler)))
	routes := http.NewServeMux()
	routes.Handle(HTTPPath, answers)
	web := &http.Server{
		Handler: http.NewCrossOriginProtection().Handler(http.MaxBytesHandler(routes, largest)), ReadHeaderTimeout: 10 * time.Second, IdleTimeout: 2 * time.Minute,
		ErrorLog:    slog.NewLogLogger(slog.DiscardHandler, slog.LevelError),
		BaseContext: func(net.Listener) context.Context { return ctx }, // streams end with it
	}
	defer context.AfterFunc(ctx, func() { web.Close() })()
	err := web.Serve(listener)
	_ = answers.Shutdown(context.WithoutCancel(ctx))
	if errors.Is(err, http.ErrServerClosed) {
		return nil
	}
	return err
}
