package mcpclient

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"net/url"
	"sync"
	"time"

	"github.com/mark3labs/mcp-go/client/transport"
	"github.com/mark3labs/mcp-go/mcp"
)

// dialURL connects to a server over HTTP: streamable, or SSE when the configuration says so or the server knows nothing newer.
func dialURL(ctx, life context.Context, config Server) (*connection, error) {
	place, err := url.Parse(config.URL)
	if err != nil || place.Host == "" || place.Scheme != "http" && place.Scheme != "https" {
		return nil, errors.New(`its url is not one: write "https://host/path"`)
	}
	if config.Transport == "sse" {
		return dialSSE(ctx, life, config)
	}
	protocol := pinned(config)
	c, err := dialHTTP(ctx, life, config, protocol, protocol != "" && !mcp.IsModernProtocol(protocol))
	if errors.Is(err, transport.ErrLegacySSEServer) {
		if old, sseErr := dialSSE(ctx, life, config); sseErr == nil {
			old.remarks = append(old.remarks, `speaks only the old SSE transport: transport = "sse" connects faster`)
			return old, nil
		}
	}
	if err != nil || protocol != "" || c.wire.modern() || !announces(c.client.GetServerCapabilities()) {
		return c, err
	}
	// Before 2026-07-28 announcements come on a stream that must be asked for before the handshake, and that rules the newest revision out.
	c.close()
	return dialHTTP(ctx, life, config, mcp.LATEST_LEGACY_PROTOCOL_VERSION, true)
}

func dialHTTP(ctx, life context.Context, config Server, protocol string, listening bool) (*connection, error) {
	visitor := newVisitor(config)
	options := []transport.StreamableHTTPCOption{transport.WithHTTPBasicClient(visitor.client()), transport.WithHTTPLogger(silent())}
	if listening {
		//nolint:staticcheck // deprecated with the revisions that need it, which most servers still speak
		options = append(options, transport.WithContinuousListening())
	}
	t, err := transport.NewStreamableHTTP(config.URL, options...)
	if err != nil {
		return nil, err
	}
	t.SetRequestHandler(refuseRequest)
	c, err := shakeHands(ctx, life, t, protocol)
	return visitor.settle(c, err)
}

func dialSSE(ctx, life context.Context, config Server) (*connection, error) {
	visitor := newVisitor(config)
	// Our contexts bound all the waiting; the transport's own limits would only cut it short.
	t, err := transport.NewSSE(config.URL, transport.WithHTTPClient(visitor.client()), transport.WithSSELogger(silent()),
		transport.WithEndpointTimeout(time.Hour), transport.WithResponseTimeout(24*time.Hour))
	if err != nil {
		return nil, err
	}
	lost, once := make(chan struct{}), sync.Once{}
	t.SetConnectionLostHandler(func(error) { once.Do(func() { close(lost) }) })
	c, err := shakeHands(ctx, life, t, cmp.Or(pinned(config), mcp.LATEST_LEGACY_PROTOCOL_VERSION))
	if c, err = visitor.settle(c, err); err != nil {
		return nil, err
	}
	c.lost = lost
	return c, nil
}

// silent: mcp-go writes to standard error without one, across whatever is on the screen.
func silent() *slog.Logger { return slog.New(slog.DiscardHandler) }

// refuseRequest answers what a server asks of its client: a ping; nothing else was offered to it.
func refuseRequest(_ context.Context, r transport.JSONRPCRequest) (*transport.JSONRPCResponse, error) {
	if r.Method == string(mcp.MethodPing) {
		return transport.NewJSONRPCResultResponse(r.ID, json.RawMessage("{}")), nil
	}
	return transport.NewJSONRPCErrorResponse(r.ID, mcp.METHOD_NOT_FOUND, "method not found: "+r.Method, nil), nil
}
