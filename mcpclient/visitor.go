package mcpclient

import (
	"bytes"
	"context"
	"crypto/tls"
	"crypto/x509"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"mime"
	"net/http"
	"net/url"
	"os"
	"strings"
	"sync"
	"time"

	"github.com/aloudchat/aloud/mcpclient/fault"
	"github.com/aloudchat/aloud/mcpclient/login"
	"github.com/aloudchat/aloud/sanitize"
	"github.com/mark3labs/mcp-go/client/transport"
)

// visitor is the HTTP side of one connection. It puts the headers of the configuration on every request, and remembers how the server
// last refused us: mcp-go forgets the former on the last request, and most of the latter.
type visitor struct {
	base    *http.Transport
	way     http.RoundTripper // base, with a login where there is one
	headers map[string]string
	url     string
	home    string        // the server, without what may be secret in its URL
	begins  bool          // with a GET, as SSE does
	lost    chan struct{} // closed when the server has forgotten us, or is gone

	hearsAgain func() // is called when the stream that hearing is about was opened again; may be nil

	mu      sync.Mutex
	refusal string // "403 Forbidden: no such tenant"
	hearing hearing
}

func newVisitor(config Server) (*visitor, error) {
	base, err := NewTransport(config.CAFile)
	if err != nil {
		return nil, err
	}
	place, err := url.Parse(config.URL)
	if err != nil {
		return nil, errors.New("its url is not one")
	}
	v := &visitor{
		base: base, way: base, headers: config.Headers,
		url: config.URL, home: place.Scheme + "://" + place.Host, begins: config.Transport == "sse", lost: make(chan struct{}),
	}
	if config.Login != nil {
		v.way = config.Login.Transport(base)
	}
	v.way = newWireLog(config).readAlong(v.way) // out here the tokens of a login are on no request yet
	return v, nil
}

// NewTransport is one of its own for each connection, so that closing its connections ends nobody else's. It goes through the proxy that the
// environment names, save to this machine.
func NewTransport(caFile string) (*http.Transport, error) {
	base := &http.Transport{Proxy: http.ProxyFromEnvironment}
	if usual, ok := http.DefaultTransport.(*http.Transport); ok {
		base = usual.Clone()
	}
	if caFile == "" {
		return base, nil
	}
	pem, err := os.ReadFile(caFile)
	if err != nil {
		return nil, fmt.Errorf("ca_file cannot be read: %w", err)
	}
	known, err := x509.SystemCertPool()
	if err != nil {
		known = x509.NewCertPool()
	}
	if !known.AppendCertsFromPEM(pem) {
		return nil, fmt.Errorf("ca_file %q holds no certificate: write one that begins with -----BEGIN CERTIFICATE-----", caFile)
	}
	base.TLSClientConfig = &tls.Config{RootCAs: known, MinVersion: tls.VersionTLS12}
	return base, nil
}

func (v *visitor) client() *http.Client {
	return &http.Client{Transport: v, CheckRedirect: stayHome}
}

// replyTimeout bounds how long an answer of ours is on its way.
const replyTimeout = 30 * time.Second

// reply sends the answer to a request of the server. When it does not arrive, the server waits for it in vain, and nobody here does.
func (v *visitor) reply(ctx context.Context, session, revision string, response *transport.JSONRPCResponse) {
	body, err := json.Marshal(response)
	if err != nil {
		return
	}
	ctx, cancel := context.WithTimeout(ctx, replyTimeout)
	defer cancel()
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, v.url, bytes.NewReader(body))
	if err != nil {
		return
	}
	request.Header.Set("Content-Type", "application/json")
	request.Header.Set("Accept", "application/json, text/event-stream")
	request.Header.Set(transport.HeaderKeyProtocolVersion, revision)
	if session != "" {
		request.Header.Set(transport.HeaderKeySessionID, session)
	}
	answer, err := v.client().Do(request)
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
func (v *visitor) RoundTrip(r *http.Request) (*http.Response, error) {
	if r.Method == http.MethodGet && r.Header.Get("Last-Event-ID") == "" {
		return v.hear(r)
	}
	return v.visit(r)
}

func (v *visitor) visit(r *http.Request) (*http.Response, error) {
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
	response, err := v.way.RoundTrip(r)
	if err != nil {
		return nil, err
	}
	answer, _ := ctx.Value(answerKey{}).(*answer)
	response.Body = &boundedBody{ReadCloser: response.Body, answer: answer, stream: mediaType(response) == "text/event-stream"}
	if refuses(response) {
		head, _ := io.ReadAll(io.LimitReader(response.Body, 2<<10))
		response.Body = struct {
			io.Reader
			io.Closer
		}{io.MultiReader(bytes.NewReader(head), response.Body), response.Body}
		refusal := describeRefusal(response, head)
		answer.brokeOff(errors.New("it answered " + refusal))
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

// refuses tells whether a response cannot have an answer in it. One that was accepted has none for messages that want none.
func refuses(response *http.Response) bool {
	ok := response.StatusCode == http.StatusOK || response.StatusCode == http.StatusAccepted
	return !ok && (response.StatusCode >= 400 || response.StatusCode < 300)
}

func mediaType(response *http.Response) string {
	kind, _, _ := mime.ParseMediaType(response.Header.Get("Content-Type"))
	return kind
}

// maxAnswer bounds one answer, or one event of a stream of them; mcp-go reads either into memory whole.
const maxAnswer = 64 << 20

var (
	errTooBig   = fmt.Errorf("the answer is over the limit of %d MB: ask for less", maxAnswer>>20)
	errTooEarly = errors.New("the connection ended before the answer was there")
)

// boundedBody ends with an error instead of filling the memory. It tells the answer how it ended: mcp-go does not.
type boundedBody struct {
	io.ReadCloser
	answer *answer // nil: nobody waits for it
	stream bool
	size   int // of the answer, or of the event
	line   int // of an event, without its end
}

func (b *boundedBody) Read(p []byte) (int, error) {
	n, err := b.ReadCloser.Read(p)
	b.count(p[:n])
	switch {
	case b.size > maxAnswer:
		n, err = 0, errTooBig
		b.answer.brokeOff(err)
	case err == io.EOF && b.stream:
		b.answer.brokeOff(errTooEarly) // which matters only while an answer is missing
	case err != nil && err != io.EOF:
		b.answer.brokeOff(err)
	}
	return n, err
}

// count starts again after an empty line, which ends an event.
func (b *boundedBody) count(p []byte) {
	if !b.stream {
		b.size += len(p)
		return
	}
	for part := range bytes.Lines(p) {
		b.size += len(part)
		b.line += len(bytes.TrimRight(part, "\r\n"))
		if part[len(part)-1] == '\n' {
			if b.line == 0 {
				b.size = 0
			}
			b.line = 0
		}
	}
}

// describeRefusal is the status and, when it is short and no web page, what the server says about it.
func describeRefusal(response *http.Response, body []byte) string {
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
	if hint := next(response); hint != "" {
		text += ": " + hint
	}
	return sanitize.Line(text)
}

// next is what a person can do about a status of HTTP, "" when there is nothing to say.
func next(response *http.Response) string {
	switch response.StatusCode {
	case http.StatusUnauthorized, http.StatusForbidden:
		return "bearer_token_env_var or http_headers let us in"
	case http.StatusNotFound, http.StatusMethodNotAllowed:
		return "is the url right?"
	case http.StatusTooManyRequests, http.StatusServiceUnavailable:
		if pause, err := time.ParseDuration(response.Header.Get("Retry-After") + "s"); err == nil && pause > 0 {
			return fmt.Sprintf("it asks to be left alone until %s", time.Now().Add(pause).Format("15:04:05"))
		}
		return "it has too much to do: try again later"
	case http.StatusBadGateway, http.StatusGatewayTimeout:
		return "the server behind it is not running"
	}
	return ""
}

// settle finishes a connection, or says why there is none: with the server's own words when it refused us.
func (v *visitor) settle(c *connection, err error) (*connection, error) {
	if err == nil {
		c.hangUp = v.base.CloseIdleConnections
		return c, nil
	}
	v.base.CloseIdleConnections()
	if errors.Is(err, context.DeadlineExceeded) || errors.Is(err, context.Canceled) {
		return nil, err
	}
	if whole, ok := errors.AsType[*login.Error](err); ok {
		return nil, whole
	}
	if refused, ok := errors.AsType[*fault.Refused](err); ok {
		return nil, refused
	}
	v.mu.Lock()
	defer v.mu.Unlock()
	switch {
	case v.refusal != "":
		return nil, &fault.Refused{Text: fmt.Sprintf("%q answered %s", v.home, v.refusal), Cause: err}
	default:
		return nil, fmt.Errorf("no MCP server answers at %q: %w", v.home, err)
	}
}
