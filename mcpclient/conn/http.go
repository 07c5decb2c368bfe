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
	// replyTimeout bounds the sending of an answer of ours.
	replyTimeout = 30 * time.Second
	// goodbyeTimeout bounds the end of a session at the server, for which leaving the program waits.
	goodbyeTimeout = time.Second
)

// dialURL connects to a server over HTTP: streamable, or SSE when the configuration says so or the server knows nothing newer.
func dialURL(ctx, life context.Context, to Server, a *elicit.Handler) (*Conn, error) {
	place, err := url.Parse(to.URL)
	if err != nil || place.Host == "" || place.Scheme != "http" && place.Scheme != "https" {
		return nil, errors.New(`its url is not one: write "https://host/path"`)
	}
	if to.SSE {
		return dialSSE(ctx, life, to, a)
	}
	c, err := dialHTTP(ctx, life, to, a)
	if errors.Is(err, transport.ErrLegacySSEServer) {
		to.SSE = true
		if old, sseErr := dialSSE(ctx, life, to, a); sseErr == nil {
			old.about = append(old.about, `speaks only the old SSE transport: transport = "sse" connects faster`)
			return old, nil
		}
	}
	return c, err
}

func dialHTTP(ctx, life context.Context, to Server, a *elicit.Handler) (*Conn, error) {
	w, err := newWeb(to)
	if err != nil {
		return nil, err
	}
	t, err := transport.NewStreamableHTTP(to.URL, transport.WithHTTPBasicClient(w.client()), transport.WithHTTPLogger(silent()))
	if err != nil {
		return nil, err
	}
	c := newConn(to, t, elicit.NewRequests(a))
	c.web, c.reply = w, c.post
	t.SetRequestHandler(func(_ context.Context, r transport.JSONRPCRequest) (*transport.JSONRPCResponse, error) {
		c.asked(r)      // mcp-go would wait no longer than 30 s for the answer
		return nil, nil //nolint:nilnil // it has nothing to send
	})
	return w.start(ctx, life, c, to.Protocol)
}

// dialSSE connects over the transport of before 2025-03-26. mcp-go drops what servers ask over it, so they are offered nothing to ask.
func dialSSE(ctx, life context.Context, to Server, a *elicit.Handler) (*Conn, error) {
	w, err := newWeb(to)
	if err != nil {
		return nil, err
	}
	// Our contexts bound all the waiting; the transport's own limits would only cut it short.
	t, err := transport.NewSSE(to.URL, transport.WithHTTPClient(w.client()), transport.WithSSELogger(silent()),
		transport.WithEndpointTimeout(time.Hour), transport.WithResponseTimeout(24*time.Hour))
	if err != nil {
		return nil, err
	}
	lost, once := make(chan struct{}), sync.Once{}
	t.SetConnectionLostHandler(func(error) { once.Do(func() { close(lost) }) })
	c := newConn(to, t, elicit.NewRequests(a))
	c.web, c.lost = w, lost
	return w.start(ctx, life, c, cmp.Or(to.Protocol, mcp.LATEST_LEGACY_PROTOCOL_VERSION))
}

// silent keeps mcp-go from writing to standard error, across whatever is on the screen.
func silent() *slog.Logger { return slog.New(slog.DiscardHandler) }

// web is the side of a connection over HTTP that mcp-go leaves to us. As a RoundTripper it puts the headers of the configuration on every request,
// bounds every answer, and notes how the server refuses us.
type web struct {
	base    *http.Transport
	next    http.RoundTripper // base, with a login where there is one
	headers map[string]string
	home    string // the server, without what may be secret in its URL
}

func newWeb(to Server) (*web, error) {
	base, err := NewTransport(to.CAFile)
	if err != nil {
		return nil, err
	}
	place, _ := url.Parse(to.URL) // dialURL has looked at it
	w := &web{base: base, next: base, headers: to.Headers, home: place.Scheme + "://" + place.Host}
	if to.Login != nil {
		w.next = to.Login.Transport(base)
	}
	return w, nil
}

// start starts a connection over HTTP, or says why there is none.
func (w *web) start(ctx, life context.Context, c *Conn, protocol string) (*Conn, error) {
	if err := c.start(ctx, life, protocol); err != nil {
		return nil, w.explain(err)
	}
	return c, nil
}

// explain says why there is no connection, with the server's own words when it refused us.
func (w *web) explain(err error) error {
	_, whole := LoginError(err)
	if whole || errors.Is(err, context.DeadlineExceeded) || errors.Is(err, context.Canceled) || errors.Is(err, errRefused) {
		return err
	}
	if refusal, ok := errors.AsType[refusalError](err); ok {
		return &Error{Kind: errRefused, Text: fmt.Sprintf("%q answered %s", w.home, string(refusal)), Cause: err}
	}
	return fmt.Errorf("no MCP server answers at %q: %w", w.home, err)
}

// close ends the connections that nothing uses any more.
func (w *web) close() { w.base.CloseIdleConnections() }

func (w *web) client() *http.Client { return &http.Client{Transport: w, CheckRedirect: stayHome} }

// stayHome follows redirects on the same host only, and to none that is less safe: the headers of the configuration, secrets among them, go along.
func stayHome(next *http.Request, before []*http.Request) error {
	home := before[0].URL
	if next.URL.Host != home.Host || next.URL.Scheme != home.Scheme && next.URL.Scheme != "https" {
		return fmt.Errorf("the server sends us on to %q: if that is right, put it into the url", next.URL.Scheme+"://"+next.URL.Host)
	}
	if len(before) >= 5 {
		return errors.New("the server sends us on and on")
	}
	return nil
}

// post sends the answer to a request of the server. If it does not arrive, the server waits for it in vain.
func (c *Conn) post(ctx context.Context, response *transport.JSONRPCResponse) {
	body, err := json.Marshal(response)
	if err != nil {
		return
	}
	ctx, cancel := context.WithTimeout(ctx, replyTimeout)
	defer cancel()
	answer, err := c.do(ctx, http.MethodPost, bytes.NewReader(body))
	if err != nil {
		return
	}
	_, _ = io.Copy(io.Discard, io.LimitReader(answer.Body, 1<<20)) // so that the connection can be used again
	_ = answer.Body.Close()
}

// do makes a request outside of mcp-go's transport, in the same session.
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
	if r.URL.Scheme != "https" && strings.HasPrefix(w.home, "https://") { // an old server says itself where to write to
		return nil, fmt.Errorf("the server at %q wants to be written to without TLS: the secrets that let us in would go in clear", w.home)
	}
	ctx := r.Context()
	if r.Method == http.MethodDelete {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, goodbyeTimeout)
		defer cancel() // its response has no body worth reading
	}
	r = r.Clone(ctx) // the caller's must not be changed
	for name, value := range w.headers {
		r.Header.Set(name, value)
	}
	if host := r.Header.Get("Host"); host != "" {
		r.Host = host // net/http takes it from nowhere else
	}
	response, err := w.next.RoundTrip(r)
	if err != nil {
		return nil, err
	}
	trip := tripOf(ctx)
	if r.Method == http.MethodPost {
		trip.status.Store(int32(response.StatusCode)) //nolint:gosec // net/http reads three digits
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

// isRefusal reports whether a response cannot have an answer in it.
func isRefusal(response *http.Response) bool {
	ok := response.StatusCode == http.StatusOK || response.StatusCode == http.StatusAccepted
	return !ok && (response.StatusCode >= 400 || response.StatusCode < 300)
}

// refusalError is how a server refused a request: "403 Forbidden: no such tenant".
type refusalError string

func (e refusalError) Error() string { return "it answered " + string(e) }

// describeRefusal is the status, what the server says about it when that is short and no web page, and what you can do.
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
	if hint := hintFor(response.StatusCode); hint != "" {
		text += ": " + hint
	}
	return refusalError(sanitize.Line(text))
}

// hintFor is what you can do about a status of HTTP, "" when there is nothing to say.
func hintFor(status int) string {
	switch status {
	case http.StatusUnauthorized, http.StatusForbidden:
		return "bearer_token_env_var or http_headers let us in"
	case http.StatusNotFound, http.StatusMethodNotAllowed:
		return "is the url right?"
	}
	return ""
}
