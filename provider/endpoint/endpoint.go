// Package endpoint is the HTTP client for model servers: it sends requests, reads streams, and turns every failure into
// a [provider.Error]. The packages of the servers know what the requests contain.
package endpoint

import (
	"bytes"
	"context"
	"crypto/tls"
	"crypto/x509"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"mime"
	"net"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/aloudchat/aloud/internal/netaddr"
	"github.com/aloudchat/aloud/internal/secret"
	"github.com/aloudchat/aloud/provider"
)

const (
	// dialTimeout is the time limit for connecting. Responses have no time limit, because loading a model can take
	// minutes.
	dialTimeout = 5 * time.Second
	maxRefusal  = 64 << 10 // bytes read of an error response
	maxObject   = 64 << 20 // bytes of a response that is one object; model descriptions take a few megabytes
)

// Server is a model server. Its fields must not change once it is used. Then it is safe for concurrent use.
type Server struct {
	Base    *url.URL
	Name    string // in error messages: "Ollama server"
	Program string // the program to check: "ollama serve"
	Setting string // the setting with its address: "base_url"
	Usual   string // hint for an address with some other server
	Trust   string // hint for a certificate that is not trusted
	Start   string // hint for a server that does not respond

	Header  http.Header // sent with every request; may be nil
	Secrets secret.Hider
	HTTP    *http.Client
}

// Transport returns a transport for model servers. If trusted is nil, it trusts the system's certificates.
func Transport(trusted *x509.CertPool) *http.Transport {
	return &http.Transport{
		Proxy:               http.ProxyFromEnvironment, // never for loopback addresses
		DialContext:         (&net.Dialer{Timeout: dialTimeout, KeepAlive: 30 * time.Second}).DialContext,
		ForceAttemptHTTP2:   true,
		TLSClientConfig:     &tls.Config{RootCAs: trusted, MinVersion: tls.VersionTLS12},
		TLSHandshakeTimeout: 10 * time.Second,
		IdleConnTimeout:     90 * time.Second,
		DisableCompression:  true, // a compressing proxy would delay the stream
		ReadBufferSize:      32 << 10,
		WriteBufferSize:     32 << 10, // most requests are one write
	}
}

// NewClient returns a client that follows no redirects: they turn a POST into a GET and would send the key to another
// server.
func NewClient(transport http.RoundTripper) *http.Client {
	return &http.Client{
		Transport:     transport,
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
}

// Address returns the server's URL without secrets.
func (s *Server) Address() string { return s.Secrets.Text(s.Base.Redacted()) }

// Local reports whether the server's address is on this machine.
func (s *Server) Local() bool { return netaddr.Loopback(s.Base.Hostname()) }

// Refusal is a response with an error status, or a web page with any status.
type Refusal struct {
	Status int
	Header http.Header
	Body   []byte
	Text   string // the server's error message, or ""
	Page   bool   // the body is a web page
}

func (r *Refusal) Error() string { return r.Text }

// StatusText returns the status with its name: "404 Not Found".
func (r *Refusal) StatusText() string {
	return strings.TrimSpace(fmt.Sprintf("%d %s", r.Status, http.StatusText(r.Status)))
}

// send sends a request, with a body in JSON if that is not nil. The caller must close the body of the response. The
// error is a *Refusal, a *provider.Error or ctx.Err().
func (s *Server) send(ctx context.Context, method string, at *url.URL, body any) (*http.Response, error) {
	var data []byte
	if body != nil {
		var err error
		if data, err = json.Marshal(body); err != nil {
			return nil, fmt.Errorf("cannot encode the request: %w", err)
		}
	}
	req, err := http.NewRequestWithContext(ctx, method, at.String(), bytes.NewReader(data))
	if err != nil {
		return nil, err
	}
	req.Header.Set("User-Agent", "aloud")
	req.Header.Set("Accept", "application/json")
	if body != nil {
		req.Header.Set("Accept", "text/event-stream, application/x-ndjson, application/json")
		req.Header.Set("Content-Type", "application/json")
	}
	maps.Copy(req.Header, s.Header)
	req.Host = s.Header.Get("Host")
	resp, err := s.HTTP.Do(req)
	switch {
	case err != nil && ctx.Err() != nil:
		return nil, ctx.Err()
	case err != nil:
		return nil, s.unreachable(err)
	case resp.StatusCode < 300 && mediaType(resp.Header) != "text/html":
		return resp, nil
	}
	defer resp.Body.Close()
	data, _ = io.ReadAll(io.LimitReader(resp.Body, maxRefusal)) // a part is better than nothing
	page := mediaType(resp.Header) == "text/html" || isPage(data)
	return nil, &Refusal{Status: resp.StatusCode, Header: resp.Header, Body: data, Text: ErrorText(data), Page: page}
}

// Delete sends a DELETE request, whose response has no content. Its errors are those of send.
func (s *Server) Delete(ctx context.Context, at *url.URL, body any) error {
	resp, err := s.send(ctx, http.MethodDelete, at, body)
	if err != nil {
		return err
	}
	return resp.Body.Close()
}

// Fetch sends a GET request, or a POST request with a body if that is not nil, and decodes the response, which is one
// JSON value, into v. Its errors are those of send.
func (s *Server) Fetch(ctx context.Context, at *url.URL, body, v any) error {
	method := http.MethodGet
	if body != nil {
		method = http.MethodPost
	}
	resp, err := s.send(ctx, method, at, body)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	data, err := io.ReadAll(io.LimitReader(resp.Body, maxObject+1))
	switch {
	case err != nil && ctx.Err() != nil:
		return ctx.Err()
	case err != nil:
		return s.Broken(err)
	case len(data) > maxObject:
		text := fmt.Sprintf("the server at %q sent a response larger than %d MB", s.Address(), maxObject>>20)
		return &provider.Error{Hint: s.Usual, Text: text}
	case len(bytes.TrimSpace(data)) == 0:
		return s.Broken(io.ErrUnexpectedEOF)
	}
	if err := json.Unmarshal(data, v); err != nil {
		return s.Unreadable(data, err)
	}
	return nil
}

func mediaType(h http.Header) string {
	kind, _, _ := mime.ParseMediaType(h.Get("Content-Type"))
	return kind
}
