package mcpclient

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"mime"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"time"

	"github.com/aloudchat/aloud/sanitize"
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
	if err != nil || protocol != "" || !announcesTools(c) {
		return c, err
	}
	if c.wire.modern() {
		go c.listen(life)
		return c, nil
	}
	// Before 2026-07-28 announcements come on a stream that must be asked for before the handshake, and that rules the newest revision out.
	c.close()
	return dialHTTP(ctx, life, config, mcp.LATEST_LEGACY_PROTOCOL_VERSION, true)
}

func announcesTools(c *connection) bool {
	tools := c.client.GetServerCapabilities().Tools
	return tools != nil && tools.ListChanged
}

// listenPause keeps a server that ends the stream at once from being asked without end.
const listenPause = 5 * time.Second

// listen keeps the stream of announcements open until life ends.
func (c *connection) listen(life context.Context) {
	for life.Err() == nil {
		_ = c.client.Listen(life, mcp.SubscriptionFilter{ToolsListChanged: true})
		select {
		case <-life.Done():
		case <-time.After(listenPause):
		}
	}
}

func dialHTTP(ctx, life context.Context, config Server, protocol string, listening bool) (*connection, error) {
	visitor := newVisitor()
	options := []transport.StreamableHTTPCOption{
		transport.WithHTTPBasicClient(visitor.client()), transport.WithHTTPHeaders(config.Headers), transport.WithHTTPLogger(silent()),
	}
	if listening {
		options = append(options, transport.WithContinuousListening())
	}
	t, err := transport.NewStreamableHTTP(config.URL, options...)
	if err != nil {
		return nil, err
	}
	t.SetRequestHandler(refuseRequest)
	c, err := shakeHands(ctx, life, t, protocol)
	return visitor.settle(config, c, err)
}

func dialSSE(ctx, life context.Context, config Server) (*connection, error) {
	visitor := newVisitor()
	// Our contexts bound all the waiting; the transport's own limits would only cut it short.
	t, err := transport.NewSSE(config.URL, transport.WithHTTPClient(visitor.client()), transport.WithHeaders(config.Headers),
		transport.WithSSELogger(silent()), transport.WithEndpointTimeout(time.Hour), transport.WithResponseTimeout(24*time.Hour))
	if err != nil {
		return nil, err
	}
	lost, once := make(chan struct{}), sync.Once{}
	t.SetConnectionLostHandler(func(error) { once.Do(func() { close(lost) }) })
	c, err := shakeHands(ctx, life, t, firstOf(pinned(config), mcp.LATEST_LEGACY_PROTOCOL_VERSION))
	if c, err = visitor.settle(config, c, err); err != nil {
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

// visitor is the HTTP side of one connection. It remembers how the server last refused us, of which mcp-go keeps little.
type visitor struct {
	base *http.Transport

	mu      sync.Mutex
	refusal string // "403 Forbidden: no such tenant"
}

func newVisitor() *visitor {
	base, ok := http.DefaultTransport.(*http.Transport)
	if !ok {
		base = &http.Transport{Proxy: http.ProxyFromEnvironment}
	}
	return &visitor{base: base.Clone()}
}

func (v *visitor) client() *http.Client {
	return &http.Client{Transport: v, CheckRedirect: stayHome}
}

// stayHome follows redirects on the same host only: the headers of the configuration, secrets among them, would go along.
func stayHome(next *http.Request, before []*http.Request) error {
	if next.URL.Host != before[0].URL.Host {
		return fmt.Errorf("the server sends us on to %q: if that is right, put it into the url", next.URL.Host)
	}
	if len(before) >= 5 {
		return errors.New("the server sends us on and on")
	}
	return nil
}

// goodbyeTimeout bounds the end of a session at the server, for which leaving the program waits.
const goodbyeTimeout = time.Second

// RoundTrip implements http.RoundTripper.
func (v *visitor) RoundTrip(r *http.Request) (*http.Response, error) {
	if r.Method == http.MethodDelete {
		ctx, cancel := context.WithTimeout(r.Context(), goodbyeTimeout)
		defer cancel() // its response has no body worth reading
		r = r.WithContext(ctx)
	}
	response, err := v.base.RoundTrip(r)
	if err == nil && response.StatusCode >= 400 {
		head, _ := io.ReadAll(io.LimitReader(response.Body, 2<<10))
		response.Body = struct {
			io.Reader
			io.Closer
		}{io.MultiReader(bytes.NewReader(head), response.Body), response.Body}
		v.mu.Lock()
		v.refusal = describeRefusal(response, head)
		v.mu.Unlock()
	}
	return response, err
}

// describeRefusal is the status and, when it is short and no web page, what the server says about it.
func describeRefusal(response *http.Response, body []byte) string {
	text := response.Status
	kind, _, _ := mime.ParseMediaType(response.Header.Get("Content-Type"))
	switch kind {
	case "application/json":
		var reply struct {
			Error struct {
				Message string `json:"message"`
			} `json:"error"`
		}
		if json.Unmarshal(body, &reply) == nil && reply.Error.Message != "" {
			text += ": " + reply.Error.Message
		}
	case "text/plain":
		if line := strings.TrimSpace(string(body)); line != "" && len(line) < 200 {
			text += ": " + line
		}
	}
	return sanitize.Line(text)
}

// settle finishes a connection, or says why there is none: with the server's own words when it refused us.
func (v *visitor) settle(config Server, c *connection, err error) (*connection, error) {
	if err == nil {
		c.hangUp = v.base.CloseIdleConnections
		return c, nil
	}
	v.base.CloseIdleConnections()
	if errors.Is(err, context.DeadlineExceeded) || errors.Is(err, context.Canceled) {
		return nil, err
	}
	place, _ := url.Parse(config.URL)
	v.mu.Lock()
	defer v.mu.Unlock()
	home := place.Scheme + "://" + place.Host
	switch {
	case strings.HasPrefix(v.refusal, "401"), strings.HasPrefix(v.refusal, "403"):
		return nil, &refusedError{fmt.Sprintf("%q answered %s: bearer_token_env_var or http_headers let us in", home, v.refusal), err}
	case v.refusal != "":
		return nil, &refusedError{fmt.Sprintf("%q answered %s", home, v.refusal), err}
	default:
		return nil, fmt.Errorf("no MCP server answers at %q: %w", home, err)
	}
}

type refusedError struct {
	text  string
	cause error
}

func (e *refusedError) Error() string { return e.text }
func (e *refusedError) Unwrap() error { return e.cause }
