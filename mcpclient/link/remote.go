package link

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
func dialURL(ctx, life context.Context, to Server, a *asked.Answerer) (*Link, error) {
	place, err := url.Parse(to.URL)
	if err != nil || place.Host == "" || place.Scheme != "http" && place.Scheme != "https" {
		return nil, errors.New(`its url is not one: write "https://host/path"`)
	}
	if to.SSE {
		return dialSSE(ctx, life, to, a)
	}
	l, err := dialHTTP(ctx, life, to, a, to.Protocol)
	if errors.Is(err, transport.ErrLegacySSEServer) {
		if old, sseErr := dialSSE(ctx, life, to, a); sseErr == nil {
			old.about = append(old.about, `speaks only the old SSE transport: transport = "sse" connects faster`)
			return old, nil
		}
	}
	if err == nil && to.Protocol == "" && !l.wire.modern() && l.wire.seemedModern.Load() {
		// The transport took the server for one that needs no stream of announcements. That cannot be made good.
		l.Close()
		return dialHTTP(ctx, life, to, a, mcp.LATEST_LEGACY_PROTOCOL_VERSION)
	}
	return l, err
}

func dialHTTP(ctx, life context.Context, to Server, a *asked.Answerer, protocol string) (*Link, error) {
	visitor, err := visitorTo(to)
	if err != nil {
		return nil, err
	}
	t, err := transport.NewStreamableHTTP(to.URL, transport.WithHTTPBasicClient(visitor.Client()), transport.WithHTTPLogger(silent()),
		transport.WithContinuousListening()) //nolint:staticcheck // deprecated with the revisions that need it, which most servers still speak
	if err != nil {
		return nil, err
	}
	w := newWire(t, asked.New(a))
	visitor.HearsAgain = w.missed
	t.SetRequestHandler(func(_ context.Context, r transport.JSONRPCRequest) (*transport.JSONRPCResponse, error) {
		// The answer goes out by itself: the transport would not wait for it longer than 30 s.
		w.asked.Ask(r, func(ctx context.Context, response *transport.JSONRPCResponse) {
			visitor.Reply(ctx, to.URL, t.GetSessionId(), w.agreed(), response)
		})
		return nil, nil //nolint:nilnil // so the transport is told that there is nothing to send
	})
	l, err := shakeHands(ctx, life, w, to, protocol)
	if l, err = settle(l, visitor, err); err != nil {
		return nil, err
	}
	l.lost = visitor.Lost()
	return l, nil
}

// dialSSE connects over the transport of before 2025-03-26: the server says everything on one stream, and is told the place where answers go.
func dialSSE(ctx, life context.Context, to Server, a *asked.Answerer) (*Link, error) {
	visitor, err := visitorTo(to)
	if err != nil {
		return nil, err
	}
	// Our contexts bound all the waiting; the transport's own limits would only cut it short.
	t, err := transport.NewSSE(to.URL, transport.WithHTTPClient(visitor.Client()), transport.WithSSELogger(silent()),
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
	l, err := shakeHands(ctx, life, w, to, cmp.Or(to.Protocol, mcp.LATEST_LEGACY_PROTOCOL_VERSION))
	if l, err = settle(l, visitor, err); err != nil {
		return nil, err
	}
	l.lost = lost
	return l, nil
}

// visitorTo prepares the HTTP side of a connection.
func visitorTo(to Server) (*web.Visitor, error) {
	return web.New(web.Place{
		URL: to.URL, SSE: to.SSE, Headers: to.Headers, Login: to.Login, CAFile: to.CAFile,
	}, to.Log)
}

// settle finishes a connection over HTTP, or says why there is none.
func settle(l *Link, visitor *web.Visitor, err error) (*Link, error) {
	if err != nil {
		visitor.Close()
		return nil, visitor.Explain(err)
	}
	l.hangUp = visitor.Close
	return l, nil
}

// silent: mcp-go writes to standard error without one, across whatever is on the screen.
func silent() *slog.Logger { return slog.New(slog.DiscardHandler) }
