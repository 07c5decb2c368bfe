package mcpclient

import (
	"cmp"
	"context"
	"errors"
	"log/slog"
	"net/url"
	"sync"
	"time"

	"github.com/aloudchat/aloud/mcpclient/asked"
	"github.com/aloudchat/aloud/mcpclient/web"
	"github.com/mark3labs/mcp-go/client/transport"
	"github.com/mark3labs/mcp-go/mcp"
)

// dialURL connects to a server over HTTP: streamable, or SSE when the configuration says so or the server knows nothing newer.
func dialURL(ctx, life context.Context, config Server, a *asked.Answerer) (*connection, error) {
	place, err := url.Parse(config.URL)
	if err != nil || place.Host == "" || place.Scheme != "http" && place.Scheme != "https" {
		return nil, errors.New(`its url is not one: write "https://host/path"`)
	}
	if config.Transport == "sse" {
		return dialSSE(ctx, life, config, a)
	}
	protocol := pinned(config)
	c, err := dialHTTP(ctx, life, config, a, protocol)
	if errors.Is(err, transport.ErrLegacySSEServer) {
		if old, sseErr := dialSSE(ctx, life, config, a); sseErr == nil {
			old.remarks = append(old.remarks, `speaks only the old SSE transport: transport = "sse" connects faster`)
			return old, nil
		}
	}
	if err == nil && protocol == "" && !c.wire.modern() && c.wire.seemedModern.Load() {
		// The transport took the server for one that needs no stream of announcements. That cannot be made good.
		c.close()
		return dialHTTP(ctx, life, config, a, mcp.LATEST_LEGACY_PROTOCOL_VERSION)
	}
	return c, err
}

func dialHTTP(ctx, life context.Context, config Server, a *asked.Answerer, protocol string) (*connection, error) {
	visitor, err := visitorTo(config)
	if err != nil {
		return nil, err
	}
	t, err := transport.NewStreamableHTTP(config.URL, transport.WithHTTPBasicClient(visitor.Client()), transport.WithHTTPLogger(silent()),
		transport.WithContinuousListening()) //nolint:staticcheck // deprecated with the revisions that need it, which most servers still speak
	if err != nil {
		return nil, err
	}
	w := newWire(t, asked.New(a))
	visitor.HearsAgain = w.missed
	t.SetRequestHandler(func(_ context.Context, r transport.JSONRPCRequest) (*transport.JSONRPCResponse, error) {
		// The answer goes out by itself: the transport would not wait for it longer than 30 s.
		w.asked.Ask(r, func(ctx context.Context, response *transport.JSONRPCResponse) {
			visitor.Reply(ctx, config.URL, t.GetSessionId(), w.agreed(), response)
		})
		return nil, nil //nolint:nilnil // so the transport is told that there is nothing to send
	})
	c, err := shakeHands(ctx, life, w, protocol, a.Capabilities())
	if c, err = settle(c, visitor, err); err != nil {
		return nil, err
	}
	c.lost = visitor.Lost()
	return c, nil
}

// dialSSE connects over the transport of before 2025-03-26: the server says everything on one stream, and is told the place where answers go.
func dialSSE(ctx, life context.Context, config Server, a *asked.Answerer) (*connection, error) {
	visitor, err := visitorTo(config)
	if err != nil {
		return nil, err
	}
	// Our contexts bound all the waiting; the transport's own limits would only cut it short.
	t, err := transport.NewSSE(config.URL, transport.WithHTTPClient(visitor.Client()), transport.WithSSELogger(silent()),
		transport.WithEndpointTimeout(time.Hour), transport.WithResponseTimeout(24*time.Hour))
	if err != nil {
		return nil, err
	}
	lost, once := make(chan struct{}), sync.Once{}
	t.SetConnectionLostHandler(func(error) { once.Do(func() { close(lost) }) })
	w := newWire(t, asked.New(a))
	visitor.Asked = func(r transport.JSONRPCRequest) {
		w.asked.Ask(r, func(ctx context.Context, response *transport.JSONRPCResponse) {
			if place := t.GetEndpoint(); place != nil {
				visitor.Reply(ctx, place.String(), "", w.agreed(), response)
			}
		})
	}
	w.wordyIDs = true // a request of the server's with the number of one of ours would be taken for the answer to it
	c, err := shakeHands(ctx, life, w, cmp.Or(pinned(config), mcp.LATEST_LEGACY_PROTOCOL_VERSION), a.Capabilities())
	if c, err = settle(c, visitor, err); err != nil {
		return nil, err
	}
	c.lost = lost
	return c, nil
}

// visitorTo prepares the HTTP side of a connection.
func visitorTo(config Server) (*web.Visitor, error) {
	return web.New(web.Place{
		URL: config.URL, SSE: config.Transport == "sse", Headers: config.Headers, Login: config.Login, CAFile: config.CAFile,
	}, logOf(config))
}

// settle finishes a connection over HTTP, or says why there is none.
func settle(c *connection, visitor *web.Visitor, err error) (*connection, error) {
	if err != nil {
		visitor.Close()
		return nil, visitor.Explain(err)
	}
	c.hangUp = visitor.Close
	return c, nil
}

// silent: mcp-go writes to standard error without one, across whatever is on the screen.
func silent() *slog.Logger { return slog.New(slog.DiscardHandler) }
