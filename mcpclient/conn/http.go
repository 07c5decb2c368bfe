package conn

import (
	"context"
	"errors"
	"fmt"
	"mime"
	"net/http"
	"net/url"
	"strings"
	"sync/atomic"

	"github.com/aloudchat/aloud/internal/netaddr"
	"github.com/aloudchat/aloud/internal/sanitize"
	"github.com/aloudchat/aloud/mcpclient"
	"github.com/aloudchat/aloud/mcpclient/elicit"
	"github.com/aloudchat/aloud/mcpclient/jsonrpc"
)

// dialURL connects over streamable HTTP, or over SSE if the configuration says so or the server supports nothing newer.
func dialURL(ctx context.Context, to mcpclient.Server, h *elicit.Handler) (*Conn, error) {
	u, err := url.Parse(to.URL)
	if err != nil || !netaddr.IsWeb(u) {
		return nil, errors.New(`invalid url. Write "https://host/path"`)
	}
	w, err := newWeb(to, u)
	if err != nil {
		return nil, err
	}
	var c *Conn
	if to.Transport == "sse" {
		c, err = w.dialSSE(ctx, to, h)
	} else {
		c, err = w.dialStreamable(ctx, to, h)
	}
	if refused, ok := errors.AsType[refusal](err); ok && refused.mayBeOld() && to.Transport != "sse" {
		to.Transport = "sse"
		if old, sseErr := w.dialSSE(ctx, to, h); sseErr == nil {
			old.about = append(old.about, `supports only the old SSE transport. transport = "sse" connects faster`)
			return old, nil
		}
	}
	if err != nil {
		return nil, w.explain(err)
	}
	return c, nil
}

// web is a server over HTTP. It adds the configured headers to every request.
type web struct {
	base      *http.Transport
	next      http.RoundTripper // base, with a login if there is one
	headers   map[string]string
	source    string                 // of the credential in them; "" if there is none
	home      string                 // scheme and host of the server
	session   atomic.Pointer[string] // its id; nil if there is none
	forgotten atomic.Bool            // the server does not know the session any more
}

func newWeb(to mcpclient.Server, u *url.URL) (*web, error) {
	base, err := NewTransport(to.CAFile)
	if err != nil {
		return nil, err
	}
	w := &web{base: base, next: base, headers: to.Headers, source: to.Credential, home: u.Scheme + "://" + u.Host}
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
	if refused, ok := errors.AsType[refusal](err); ok {
		return &Error{Kind: errRefused, Text: fmt.Sprintf("%q answered %s", w.home, refused.text), Cause: err}
	}
	return fmt.Errorf("no MCP server at %q: %w", w.home, err)
}

func (w *web) client() *http.Client { return &http.Client{Transport: w, CheckRedirect: checkRedirect} }

// checkRedirect allows redirects only to the same host and not to http, because the configured headers may hold
// secrets. It does not allow those that turn a POST into a GET without the message, such as 301 and 302. The error has
// the new address without the parts that usually hold secrets.
func checkRedirect(next *http.Request, before []*http.Request) error {
	home := before[0].URL
	isAway := next.URL.Host != home.Host || next.URL.Scheme != home.Scheme && next.URL.Scheme != "https"
	if isAway || next.Method != before[0].Method {
		code := next.Response.StatusCode
		address := url.URL{Scheme: next.URL.Scheme, Host: next.URL.Host, Path: next.URL.Path, RawPath: next.URL.RawPath}
		return fmt.Errorf("the server redirects (%d %s) to %.200q. If that is right, set url to that address",
			code, http.StatusText(code), address.String())
	}
	if len(before) >= 5 {
		return errors.New("too many redirects")
	}
	return nil
}

// messageAddress returns the address that an SSE server chose for messages. The configured headers may hold secrets.
func messageAddress(from, given string) (string, error) {
	base, err := url.Parse(from)
	if err != nil {
		return "", err
	}
	address, err := base.Parse(strings.TrimSpace(given))
	switch {
	case err != nil:
		return "", errors.New("the server chose an invalid address for messages")
	case address.Host != base.Host:
		return "", fmt.Errorf("the server asks for messages at another host, %.100q", address.Host)
	case address.Scheme != "https" && base.Scheme == "https":
		return "", errors.New("the server asks for messages without TLS, which would reveal credentials")
	}
	return address.String(), nil
}

// RoundTrip implements http.RoundTripper. It returns an error if the server refuses the configured credential.
func (w *web) RoundTrip(r *http.Request) (*http.Response, error) {
	r = r.Clone(r.Context())
	for name, value := range w.headers {
		r.Header.Set(name, value)
	}
	if host := r.Header.Get("Host"); host != "" {
		r.Host = host // net/http ignores the header
	}
	response, err := w.next.RoundTrip(r)
	if err == nil && response.StatusCode == http.StatusUnauthorized && w.source != "" {
		response.Body.Close()
		text := fmt.Sprintf("%q refused the token (401 Unauthorized). Check %s", w.home, w.source)
		return nil, &Error{Kind: errRefused, Text: text, Cause: refusal{http.StatusUnauthorized, text}}
	}
	return response, err
}

func isStream(response *http.Response) bool { return mediaType(response) == "text/event-stream" }

func mediaType(response *http.Response) string {
	kind, _, _ := mime.ParseMediaType(response.Header.Get("Content-Type"))
	return kind
}

// refusal is the error of a refused request.
type refusal struct {
	status int
	text   string // "403 Forbidden: no such tenant"
}

func (r refusal) Error() string { return "the server answered " + r.text }

// mayBeOld reports whether a server that refuses streamable HTTP may support only SSE.
func (r refusal) mayBeOld() bool {
	return r.status >= 400 && r.status < 500 && r.status != http.StatusUnauthorized
}

// describeRefusal returns the status, the server's message if it is short and not a web page, and a hint.
func describeRefusal(response *http.Response, body []byte) refusal {
	text := response.Status
	line := strings.TrimSpace(string(body))
	m, ok := jsonrpc.Parse(body)
	switch {
	case ok && m.Error != nil && m.Error.Message != "":
		text += ": " + clip(m.Error.Message)
	case mediaType(response) == "text/plain" && line != "" && len(line) < 200:
		text += ": " + line
	}
	text = sanitize.Line(text)
	switch response.StatusCode {
	case http.StatusUnauthorized, http.StatusForbidden:
		text += ". Set bearer_token_env_var or http_headers"
	case http.StatusNotFound, http.StatusMethodNotAllowed:
		text += ". Check the url"
	}
	return refusal{response.StatusCode, text}
}
