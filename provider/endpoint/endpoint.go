// Package endpoint is the HTTP side of a model server: it makes requests, reads what streams back, and turns every
// failure into a [provider.Error], one sentence and the next step. What the requests say belongs to the packages of the
// servers.
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
	"time"

	"github.com/aloudchat/aloud/netaddr"
	"github.com/aloudchat/aloud/provider"
	"github.com/aloudchat/aloud/secret"
)

const (
	// dialTimeout bounds how long a server may take to accept a connection. The answer has no bound: loading a model
	// can take minutes.
	dialTimeout = 5 * time.Second
	mostRefusal = 64 << 10 // bytes of an error answer that are read
	mostObject  = 64 << 20 // bytes of an answer that is one object; descriptions of models take a few megabytes
)

// Server is a model server. Its fields do not change once it is in use; then it is safe for concurrent use.
type Server struct {
	Base    *url.URL
	Name    string // in sentences: "Ollama server"
	API     string // "Ollama's API"
	Program string // what runs there: "ollama serve"
	Setting string // what names its address: "base_url"
	Usual   string // the hint for an address at which something else answers
	Trust   string // the hint for a certificate that this system does not trust

	Header  http.Header // of every request; may be nil
	Secrets secret.Hider
	HTTP    *http.Client
}

// Transport returns what connects to a model server. trusted may be nil for the system's certificates.
func Transport(trusted *x509.CertPool) *http.Transport {
	return &http.Transport{
		Proxy:               http.ProxyFromEnvironment, // never for loopback addresses
		DialContext:         (&net.Dialer{Timeout: dialTimeout, KeepAlive: 30 * time.Second}).DialContext,
		ForceAttemptHTTP2:   true,
		TLSClientConfig:     &tls.Config{RootCAs: trusted, MinVersion: tls.VersionTLS12},
		TLSHandshakeTimeout: 10 * time.Second,
		IdleConnTimeout:     90 * time.Second,
		DisableCompression:  true, // a compressing proxy would hold the stream back
		ReadBufferSize:      32 << 10,
	}
}

// NewClient returns a client over transport that follows no redirects: a redirected POST would arrive as a GET, and
// the key at another place.
func NewClient(transport http.RoundTripper) *http.Client {
	return &http.Client{
		Transport:     transport,
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
}

// Address is the server's URL without secrets.
func (s *Server) Address() string { return s.Secrets.Text(s.Base.Redacted()) }

// Local reports whether the server's address is on this machine.
func (s *Server) Local() bool { return netaddr.Loopback(s.Base.Hostname()) }

// Refusal is an answer that is not a success, or a web page of any status.
type Refusal struct {
	Status int
	Header http.Header
	Body   []byte
	Text   string // the server's words, "" for none
	Page   bool
}

func (r *Refusal) Error() string { return r.Text }

// Send makes a request; a body that is not nil is sent as JSON. The caller closes the body of the response.
// The error is a *Refusal, a *provider.Error or that of ctx.
func (s *Server) Send(ctx context.Context, method string, at *url.URL, body any) (*http.Response, error) {
	var data []byte
	if body != nil {
		var err error
		if data, err = json.Marshal(body); err != nil {
			return nil, fmt.Errorf("cannot write the request as JSON: %w", err)
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
	said, _ := io.ReadAll(io.LimitReader(resp.Body, mostRefusal)) // the sentence lacks what could not be read
	page := mediaType(resp.Header) == "text/html" || isPage(said)
	return nil, &Refusal{Status: resp.StatusCode, Header: resp.Header, Body: said, Text: ErrorText(said), Page: page}
}

// Read reads an answer that is one object into v, and closes it.
func (s *Server) Read(ctx context.Context, resp *http.Response, v any) error {
	defer resp.Body.Close()
	data, err := io.ReadAll(io.LimitReader(resp.Body, mostObject+1))
	switch {
	case err != nil && ctx.Err() != nil:
		return ctx.Err()
	case err != nil:
		return s.Broken(err)
	case len(data) > mostObject:
		return &provider.Error{Hint: s.Usual, Text: fmt.Sprintf("the server at %q sent an answer of more than %d MB", s.Address(), mostObject>>20)}
	case len(bytes.TrimSpace(data)) == 0:
		return s.Broken(io.ErrUnexpectedEOF)
	}
	if err := json.Unmarshal(data, v); err != nil {
		return s.Nonsense(data, err)
	}
	return nil
}

func mediaType(h http.Header) string {
	kind, _, _ := mime.ParseMediaType(h.Get("Content-Type"))
	return kind
}
