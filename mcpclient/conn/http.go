package conn

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"time"

	"github.com/mark3labs/mcp-go/client/transport"
	"github.com/mark3labs/mcp-go/mcp"

	"github.com/aloudchat/aloud/mcpclient/elicit"
	"github.com/aloudchat/aloud/sanitize"
)

const (
	replyTimeout  = 30 * time.Second // of a response to the server
	deleteTimeout = time.Second      // of the end of a session, which delays leaving aloud
)

// dialURL connects over streamable HTTP, or over SSE if the configuration says so or the server supports nothing newer.
func dialURL(ctx, life context.Context, to Server, h *elicit.Handler) (*Conn, error) {
	u, err := url.Parse(to.URL)
	if err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" {
		return nil, errors.New(`invalid url. Write "https://host/path"`)
	}
	w, err := newWeb(to, u)
	if err != nil {
		return nil, err
	}
	dial := w.dialHTTP
	if to.Transport == "sse" {
		dial = w.dialSSE
	}
	c, err := dial(ctx, life, to, h)
	if errors.Is(err, transport.ErrLegacySSEServer) {
		to.Transport = "sse"
		if old, sseErr := w.dialSSE(ctx, life, to, h); sseErr == nil {
			old.about = append(old.about, `supports only the old SSE transport. transport = "sse" connects faster`)
			return old, nil
		}
	}
	if err != nil {
		return nil, w.explain(err)
	}
	return c, nil
}

func (w *web) dialHTTP(ctx, life context.Context, to Server, h *elicit.Handler) (*Conn, error) {
	t, err := transport.NewStreamableHTTP(to.URL,
		transport.WithHTTPBasicClient(w.client()), transport.WithHTTPLogger(discard))
	if err != nil {
		return nil, err
	}
	c := newConn(to, t, h)
	c.web, c.reply = w, c.post
	t.SetRequestHandler(func(_ context.Context, r transport.JSONRPCRequest) (*transport.JSONRPCResponse, error) {
		c.handleRequest(r) // replies itself, because mcp-go waits at most 30 s for a response
		return nil, nil    //nolint:nilnil // see above
	})
	return c, c.start(ctx, life, to.Protocol)
}

// dialSSE connects over the transport from before 2025-03-26.
func (w *web) dialSSE(ctx, life context.Context, to Server, h *elicit.Handler) (*Conn, error) {
	// The transport's own limits are longer than those of our contexts.
	t, err := transport.NewSSE(to.URL, transport.WithHTTPClient(w.client()), transport.WithSSELogger(discard),
		transport.WithEndpointTimeout(time.Hour), transport.WithResponseTimeout(24*time.Hour))
	if err != nil {
		return nil, err
	}
	lost, once := make(chan struct{}), sync.Once{}
	t.SetConnectionLostHandler(func(error) { once.Do(func() { close(lost) }) })
	c := newConn(to, t, h)
	c.web, c.lost = w, lost
	return c, c.start(ctx, life, cmp.Or(to.Protocol, mcp.LATEST_LEGACY_PROTOCOL_VERSION))
}

// discard keeps mcp-go from writing to standard error.
var discard = slog.New(slog.DiscardHandler)

// web adds the configured headers to every request over HTTP, limits every response, and records how the server refuses
// requests.
type web struct {
	base    *http.Transport
	next    http.RoundTripper // base, with a login if there is one
	headers map[string]string
	home    string // scheme and host of the server
}

func newWeb(to Server, u *url.URL) (*web, error) {
	base, err := NewTransport(to.CAFile)
	if err != nil {
		return nil, err
	}
	w := &web{base: base, next: base, headers: to.Headers, home: u.Scheme + "://" + u.Host}
	if to.Login != nil {
		w.next = to.Login.Transport(base)
	}
	return w, nil
}

// explain returns why connecting failed, with the server's own message if it refused the request.
func (w *web) explain(err error) error {
	_, login := LoginError(err)
	ended := errors.Is(err, context.DeadlineExceeded) || errors.Is(err, context.Canceled)
	if login || ended || errors.Is(err, errRefused) {
		return err
	}
	if refusal, ok := errors.AsType[refusalError](err); ok {
		return &Error{Kind: errRefused, Text: fmt.Sprintf("%q answered %s", w.home, string(refusal)), Cause: err}
	}
	return fmt.Errorf("no MCP server at %q: %w", w.home, err)
}

func (w *web) client() *http.Client { return &http.Client{Transport: w, CheckRedirect: checkRedirect} }

// checkRedirect allows redirects only to the same host and not to http, because the configured headers may hold
// secrets.
func checkRedirect(next *http.Request, before []*http.Request) error {
	home := before[0].URL
	if next.URL.Host != home.Host || next.URL.Scheme != home.Scheme && next.URL.Scheme != "https" {
		return fmt.Errorf("the server redirects to %q. If that is right, change the url",
			next.URL.Scheme+"://"+next.URL.Host)
	}
	if len(before) >= 5 {
		return errors.New("too many redirects")
	}
	return nil
}

// post sends the response to a request of the server. It ignores errors.
func (c *Conn) post(ctx context.Context, response *transport.JSONRPCResponse) {
	body, err := json.Marshal(response)
	if err != nil {
		return
	}
	ctx, cancel := context.WithTimeout(ctx, replyTimeout)
	defer cancel()
	got, err := c.do(ctx, http.MethodPost, bytes.NewReader(body))
	if err != nil {
		return
	}
	_, _ = io.Copy(io.Discard, io.LimitReader(got.Body, 1<<20)) // so that the connection can be reused
	_ = got.Body.Close()
}

// do sends a request in the session of mcp-go's transport, but not through it.
func (c *Conn) do(ctx context.Context, method string, body io.Reader) (*http.Response, error) {
	request, err := http.NewRequestWithContext(ctx, method, c.server.URL, body)
	if err != nil {
		return nil, err
	}
	request.Header.Set("Accept", "text/event-stream")
	if body != nil {
		request.Header.Set("Content-Type", "application/json")
		request.Header.Set("Accept", "application/json, text/event-stream")
	}
	request.Header.Set(transport.HeaderKeyProtocolVersion, c.agreed())
	if session := c.transport.GetSessionId(); session != "" {
		request.Header.Set(transport.HeaderKeySessionID, session)
	}
	return c.web.client().Do(request)
}

// RoundTrip implements http.RoundTripper.
func (w *web) RoundTrip(r *http.Request) (*http.Response, error) {
	if r.URL.Scheme != "https" && strings.HasPrefix(w.home, "https://") { // an SSE server chooses the URL for messages
		return nil, fmt.Errorf("the server at %q asks for messages without TLS, which would reveal credentials", w.home)
	}
	ctx := r.Context()
	if r.Method == http.MethodDelete {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, deleteTimeout)
		defer cancel() // the response has no useful body
	}
	r = r.Clone(ctx)
	for name, value := range w.headers {
		r.Header.Set(name, value)
	}
	if host := r.Header.Get("Host"); host != "" {
		r.Host = host // net/http ignores the header
	}
	response, err := w.next.RoundTrip(r)
	if err != nil {
		return nil, err
	}
	trip := tripOf(ctx)
	if r.Method == http.MethodPost {
		trip.status.Store(int32(response.StatusCode)) //nolint:gosec // three digits
	}
	response.Body = &boundedBody{ReadCloser: response.Body, broke: trip.broke, stream: isStream(response)}
	if isRefusal(response) {
		head, _ := io.ReadAll(io.LimitReader(response.Body, 2<<10))
		trip.broke(describeRefusal(response, head))
		response.Body = struct {
			io.Reader
			io.Closer
		}{io.MultiReader(bytes.NewReader(head), response.Body), response.Body}
	}
	return response, nil
}

// isRefusal reports whether the status of a response means that the server refused the request.
func isRefusal(response *http.Response) bool {
	ok := response.StatusCode == http.StatusOK || response.StatusCode == http.StatusAccepted
	return !ok && (response.StatusCode >= 400 || response.StatusCode < 300)
}

// refusalError is the status of a refused request: "403 Forbidden: no such tenant".
type refusalError string

func (e refusalError) Error() string { return "the server answered " + string(e) }

// describeRefusal returns the status, the server's message if it is short and not a web page, and a hint.
func describeRefusal(response *http.Response, body []byte) refusalError {
	text := response.Status
	switch mediaType(response) {
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
	text = sanitize.Line(text)
	switch response.StatusCode {
	case http.StatusUnauthorized, http.StatusForbidden:
		text += ". Set bearer_token_env_var or http_headers"
	case http.StatusNotFound, http.StatusMethodNotAllowed:
		text += ". Check the url"
	}
	return refusalError(text)
}
