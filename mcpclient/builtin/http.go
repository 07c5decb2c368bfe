package builtin

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"strings"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/aloudchat/aloud/internal/netaddr"
)

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
// in a browser, and the SDK refuses other host names, which protects against DNS rebinding.
func (s *Server) ServeHTTP(ctx context.Context, listener net.Listener) error {
	p := s.protocol(ctx)
	handler := func(stateless bool) http.Handler {
		return mcp.NewStreamableHTTPHandler(func(*http.Request) *mcp.Server { return p }, &mcp.StreamableHTTPOptions{
			Stateless: stateless, SessionTimeout: 30 * time.Minute, MaxRequestBodyBytes: maxMessage,
			PropagateRequestCancellation: true,
		})
	}
	modern, legacy := handler(true), handler(false) // clients of older revisions of the protocol have sessions
	routes := http.NewServeMux()
	routes.HandleFunc(HTTPPath, func(w http.ResponseWriter, r *http.Request) {
		handler := legacy
		if r.Header.Get("Mcp-Protocol-Version") >= "2026-07-28" {
			handler = modern
		}
		handler.ServeHTTP(w, r)
	})
	web := &http.Server{
		Handler:           http.NewCrossOriginProtection().Handler(routes),
		ReadHeaderTimeout: 10 * time.Second, IdleTimeout: 2 * time.Minute,
		ErrorLog:    slog.NewLogLogger(slog.DiscardHandler, slog.LevelError),
		BaseContext: func(net.Listener) context.Context { return ctx }, // ends streams with ctx
	}
	defer context.AfterFunc(ctx, func() { web.Close() })()
	err := web.Serve(listener)
	for session := range p.Sessions() {
		_ = session.Close()
	}
	if errors.Is(err, http.ErrServerClosed) {
		return nil
	}
	return err
}
