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

// Serve serves one client on in and out until in or ctx ends.
func (s *Server) Serve(ctx context.Context, in io.Reader, out io.Writer) error {
	if err := server.NewStdioServer(s.MCPServer).Listen(ctx, in, out); ctx.Err() == nil {
		return err
	}
	return nil
}

// HTTPPath is the path of the server that ServeHTTP serves.
const HTTPPath = "/mcp"

// ListenHTTP listens on a loopback address like "8080", ":8080" or "127.0.0.1:8080". Port 0 means any free port.
func ListenHTTP(ctx context.Context, address string) (net.Listener, error) {
	if !strings.Contains(address, ":") {
		address = ":" + address
	}
	host, port, err := net.SplitHostPort(address)
	switch {
	case err != nil:
		return nil, fmt.Errorf("%q is not an address. Use one like 127.0.0.1:8080", address)
	case host == "":
		host = "127.0.0.1"
	case !netaddr.Loopback(host):
		return nil, fmt.Errorf("%q is reachable from other machines. Use 127.0.0.1, with ssh or a proxy if necessary", host)
	}
	listener, err := new(net.ListenConfig).Listen(ctx, "tcp", net.JoinHostPort(host, port))
	if err != nil {
		return nil, fmt.Errorf("cannot listen on %q: %w. Use another port", address, errors.Unwrap(err))
	}
	return listener, nil
}

// ServeHTTP serves clients by streamable HTTP at HTTPPath until ctx ends, and closes the listener. It refuses pages
// in a browser, and mcp-go refuses other host names, which protects against DNS rebinding.
func ServeHTTP(ctx context.Context, s *server.MCPServer, listener net.Listener) error {
	const largest = 16 << 20 // bytes of a request: a file to write, escaped in JSON
	answers := server.NewStreamableHTTPServer(s, server.WithStateful(true), server.WithSessionIdleTTL(30*time.Minute),
		server.WithStreamableHTTPLogger(slog.New(slog.DiscardHandler)))
	routes := http.NewServeMux()
	routes.Handle(HTTPPath, answers)
	web := &http.Server{
		Handler:           http.NewCrossOriginProtection().Handler(http.MaxBytesHandler(routes, largest)),
		ReadHeaderTimeout: 10 * time.Second, IdleTimeout: 2 * time.Minute,
		ErrorLog:    slog.NewLogLogger(slog.DiscardHandler, slog.LevelError),
		BaseContext: func(net.Listener) context.Context { return ctx }, // ends streams with ctx
	}
	defer context.AfterFunc(ctx, func() { web.Close() })()
	err := web.Serve(listener)
	_ = answers.Shutdown(context.WithoutCancel(ctx))
	if errors.Is(err, http.ErrServerClosed) {
		return nil
	}
	return err
}
