// Package web is the side of a connection to a server over HTTP that mcp-go leaves to us: what goes along with every request and what lets us in,
// how much of an answer is read, what a refusal said, and how long a stream is listened to of which nothing comes.
//
// Read visitor.go first: a Visitor is that side of one connection. hearing.go has the stream of announcements, overheard.go what is asked on
// the stream of old servers, body.go what is read of an answer, refusal.go what a server says with no, transport.go the certificates, address.go
// where a connection may lead, and readalong.go the log of the wire.
package web

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"time"

	"github.com/aloudchat/aloud/mcpclient/fault"
	"github.com/aloudchat/aloud/mcpclient/login"
	"github.com/aloudchat/aloud/mcpclient/wirelog"
	"github.com/mark3labs/mcp-go/client/transport"
)

// Visitor is the HTTP side of one connection. It puts the headers of the configuration on every request, and remembers how the server
// last refused us: mcp-go forgets the former on the last request, and most of the latter.
type Visitor struct {
	base    *http.Transport
	way     http.RoundTripper // base, with a login where there is one
	headers map[string]string
	home    string        // the server, without what may be secret in its URL
	begins  bool          // with a GET, as SSE does
	lost    chan struct{} // closed when the server has forgotten us, or is gone

	// Asked is called for what the server asks on the stream that it begins with, where mcp-go drops that; nil: mcp-go hears it itself. It must
	// not wait for the server, and is set before anything is asked.
	Asked func(transport.JSONRPCRequest)

	// HearsAgain is called when the stream of announcements was opened again; it may be nil. It is set before anything is asked.
	HearsAgain func()

	mu      sync.Mutex
	refusal string // "403 Forbidden: no such tenant"
	hearing hearing
}

// Place is where a server over HTTP is, and what lets us in.
type Place struct {
	URL     string
	SSE     bool              // it begins with a GET, as servers did before streamable HTTP
	Headers map[string]string // go along with every request
	Login   login.Login       // nil: there is none
	CAFile  string            // PEM certificates that the server may be signed with, besides the system's
}

// New returns the HTTP side of a connection that is not there yet. log may be nil.
func New(to Place, log *wirelog.Log) (*Visitor, error) {
	base, err := NewTransport(to.CAFile)
	if err != nil {
		return nil, err
	}
	place, err := url.Parse(to.URL)
	if err != nil {
		return nil, errors.New("its url is not one")
	}
	v := &Visitor{
		base: base, way: base, headers: to.Headers,
		home: place.Scheme + "://" + place.Host, begins: to.SSE, lost: make(chan struct{}),
	}
	if to.Login != nil {
		v.way = to.Login.Transport(base)
	}
	v.way = readAlong(v.way, log) // out here the tokens of a login are on no request yet
	return v, nil
}

// Lost is closed when the server has forgotten us, or is gone.
func (v *Visitor) Lost() <-chan struct{} { return v.lost }

// Client is what a transport of mcp-go asks through.
func (v *Visitor) Client() *http.Client {
	return &http.Client{Transport: v, CheckRedirect: stayHome}
}

// replyTimeout bounds how long an answer of ours is on its way.
const replyTimeout = 30 * time.Second

// Reply sends the answer to a request of the server to a place there, an address. When it does not arrive, the server waits for it in vain, and nobody here does.
func (v *Visitor) Reply(ctx context.Context, place, session, revision string, response *transport.JSONRPCResponse) {
	body, err := json.Marshal(response)
	if err != nil {
		return
	}
	ctx, cancel := context.WithTimeout(ctx, replyTimeout)
	defer cancel()
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, place, bytes.NewReader(body))
	if err != nil {
		return
	}
	request.Header.Set("Content-Type", "application/json")
	request.Header.Set("Accept", "application/json, text/event-stream")
	request.Header.Set(transport.HeaderKeyProtocolVersion, revision)
	if session != "" {
		request.Header.Set(transport.HeaderKeySessionID, session)
	}
	answer, err := v.Client().Do(request)
	if err != nil {
		return
	}
	_, _ = io.Copy(io.Discard, io.LimitReader(answer.Body, 1<<20)) // so that the connection can be used again
	_ = answer.Body.Close()
}

// stayHome follows redirects on the same host only, and to none that is less safe: the headers of the configuration,
// secrets among them, go along.
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

// goodbyeTimeout bounds the end of a session at the server, for which leaving the program waits.
const goodbyeTimeout = time.Second

// RoundTrip implements http.RoundTripper.
func (v *Visitor) RoundTrip(r *http.Request) (*http.Response, error) {
	if r.Method != http.MethodGet || r.Header.Get("Last-Event-ID") != "" {
		return v.visit(r)
	}
	response, err := v.hear(r)
	if err == nil && v.Asked != nil {
		response.Body = &overheard{ReadCloser: response.Body, asked: v.Asked}
	}
	return response, err
}

func (v *Visitor) visit(r *http.Request) (*http.Response, error) {
	if r.URL.Scheme != "https" && strings.HasPrefix(v.home, "https://") { // an old server says itself where it wants to be written to
		return nil, fmt.Errorf("the server at %q wants to be written to without TLS: the secrets that let us in would go in clear", v.home)
	}
	ctx := r.Context()
	if r.Method == http.MethodDelete {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, goodbyeTimeout)
		defer cancel() // its response has no body worth reading
	}
	r = r.Clone(ctx) // the caller's must not be changed
	for name, value := range v.headers {
		r.Header.Set(name, value)
	}
	if host := r.Header.Get("Host"); host != "" {
		r.Host = host // net/http takes it from nowhere else
	}
	response, err := v.way.RoundTrip(r)
	if err != nil {
		return nil, err
	}
	noteStatus(response, r)
	broke := noted(ctx)
	response.Body = &boundedBody{ReadCloser: response.Body, broke: broke, stream: isStream(response)}
	if refuses(response) {
		head, _ := io.ReadAll(io.LimitReader(response.Body, 2<<10))
		response.Body = struct {
			io.Reader
			io.Closer
		}{io.MultiReader(bytes.NewReader(head), response.Body), response.Body}
		refusal := describeRefusal(response, head)
		broke(errors.New("it answered " + refusal))
		if r.Method != http.MethodGet || v.begins { // a server that announces nothing refuses to be listened to, and may
			v.mu.Lock()
			if !notLetIn(v.refusal) { // what comes after that says less
				v.refusal = refusal
			}
			v.mu.Unlock()
		}
	}
	return response, nil
}

func notLetIn(refusal string) bool {
	return strings.HasPrefix(refusal, "401") || strings.HasPrefix(refusal, "403")
}

// Close ends the connections that nobody uses any more.
func (v *Visitor) Close() { v.base.CloseIdleConnections() }

// Explain says why there is no connection, with the server's own words when it refused us.
func (v *Visitor) Explain(err error) error {
	if errors.Is(err, context.DeadlineExceeded) || errors.Is(err, context.Canceled) {
		return err
	}
	if whole, ok := errors.AsType[*login.Error](err); ok {
		return whole
	}
	if refused, ok := errors.AsType[*fault.Refused](err); ok {
		return refused
	}
	v.mu.Lock()
	defer v.mu.Unlock()
	if v.refusal != "" {
		return &fault.Refused{Text: fmt.Sprintf("%q answered %s", v.home, v.refusal), Cause: err}
	}
	return fmt.Errorf("no MCP server answers at %q: %w", v.home, err)
}
