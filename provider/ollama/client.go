// Package ollama talks to an Ollama server: it chats with its models, lists them, fetches new ones, and starts a server if you ask for one.
//
// The types and the simple requests are those of Ollama's own api package. What streams is read by a reader of ours, and every answer passes
// a transport of ours, because the api package lets several failures pass as success (an error status without a body, an answer that ends
// before it is done) and others as text without a kind. Whatever goes wrong here is a *provider.Error: one sentence and the next step.
package ollama

import (
	"context"
	"errors"
	"net"
	"net/http"
	"net/url"
	"sync"
	"time"

	"github.com/ollama/ollama/api"

	"github.com/aloudchat/aloud/provider"
)

// dialTimeout bounds how long a server may take to accept a connection. There is no bound on the answer: loading a model can take minutes.
const dialTimeout = 3 * time.Second

// Client is a provider.Model, a provider.Library, a provider.Puller and a provider.Memory. Safe for concurrent use.
type Client struct {
	base *url.URL
	http *http.Client // for answers that stream
	api  *api.Client  // for those that are one object

	tools toolCache

	mu       sync.Mutex
	infos    map[string]provider.Info // by name as asked for
	inMemory map[residence]time.Time
}

var (
	_ provider.Model   = (*Client)(nil)
	_ provider.Library = (*Client)(nil)
	_ provider.Puller  = (*Client)(nil)
	_ provider.Memory  = (*Client)(nil)
)

// New makes a client for the server at host, written like OLLAMA_HOST: "", "host", "host:port" or a URL with an optional path.
// It does not look whether a server is there.
func New(host string) (*Client, error) {
	dialer := &net.Dialer{Timeout: dialTimeout, KeepAlive: 30 * time.Second}
	return NewOver(&http.Transport{
		Proxy:               http.ProxyFromEnvironment, // never for loopback addresses
		DialContext:         dialer.DialContext,
		ForceAttemptHTTP2:   true,
		TLSHandshakeTimeout: 10 * time.Second,
		IdleConnTimeout:     90 * time.Second,
		DisableCompression:  true, // a compressing proxy would hold the stream back
		ReadBufferSize:      32 << 10,
	}, host)
}

// NewOver is New over connections of the caller's, which closes idle ones at the end.
func NewOver(transport http.RoundTripper, host string) (*Client, error) {
	base, err := parseHost(host)
	if err != nil {
		return nil, err
	}
	client := &http.Client{
		Transport: strict{at: visible(base), next: transport},
		// A redirected POST would arrive as a GET; the transport reports the redirect instead.
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
	simple := *client
	simple.Transport = whole{at: visible(base), next: client.Transport}
	return &Client{
		base:     base,
		http:     client,
		api:      api.NewClient(base, &simple),
		infos:    map[string]provider.Info{},
		inMemory: map[residence]time.Time{},
	}, nil
}

// Address is the server's URL, without a password or a token.
func (c *Client) Address() string { return visible(c.base) }

// visible is an address as it may be seen: a name without a password may be a token.
func visible(base *url.URL) string {
	if _, has := base.User.Password(); has || base.User == nil {
		return base.Redacted()
	}
	hidden := *base
	hidden.User = url.User("xxxxx")
	return hidden.String()
}

// Local reports whether the server's address is on this machine, where a Server can be started.
func (c *Client) Local() bool { return local(c.Address()) }

// Version asks the server for its version, "0.24.0".
func (c *Client) Version(ctx context.Context) (string, error) {
	version, err := c.api.Version(ctx)
	if err != nil {
		return "", c.explain(ctx, err)
	}
	return version, nil
}

// Loaded is a model in the server's memory.
type Loaded struct {
	Name    string
	Size    int64     // bytes in memory, all together
	VRAM    int64     // bytes of them on the GPU
	Context int       // tokens; 0: an old server does not tell
	Expires time.Time // when it is unloaded unless it is used
}

// Loaded lists the models that are in the server's memory.
func (c *Client) Loaded(ctx context.Context) ([]Loaded, error) {
	running, err := c.api.ListRunning(ctx)
	if err != nil {
		return nil, c.explain(ctx, err)
	}
	loaded := make([]Loaded, 0, len(running.Models))
	for _, m := range running.Models {
		loaded = append(loaded, Loaded{Name: m.Name, Size: m.Size, VRAM: m.SizeVRAM, Context: m.ContextLength, Expires: m.ExpiresAt})
	}
	return loaded, nil
}

// explain gives an error of a request its final form: ctx's own error when that ended it, else a *provider.Error.
func (c *Client) explain(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return ctx.Err()
	}
	if known := (*provider.Error)(nil); errors.As(err, &known) {
		return known
	}
	return nonsense(c.Address(), nil, err)
}
