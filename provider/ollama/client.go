// Package ollama is a client for an Ollama server. It chats with models, lists and downloads them, and can start a
// server.
//
// Requests use the types of Ollama's api package. Responses are parsed here, because the api package reports no error
// for an error status without a body or a response that ends early. Here every failure is a *provider.Error.
package ollama

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"os/exec"
	"sync"
	"time"

	"github.com/aloudchat/aloud/internal/netaddr"
	"github.com/aloudchat/aloud/internal/secret"
	"github.com/aloudchat/aloud/provider"
	"github.com/aloudchat/aloud/provider/endpoint"
	"github.com/aloudchat/aloud/provider/pace"
)

// Client implements provider.Model, provider.Library, provider.Puller, provider.Memory and provider.Manager. It is
// safe for concurrent use.
type Client struct {
	*endpoint.Server

	// Pace keeps descriptions of models for the next start. It may be nil and must be set before the first request.
	Pace *pace.Store

	tools endpoint.Tools

	mu      sync.Mutex
	infos   map[string]provider.Info // by name as requested; the zero value after a Pull
	listing listing                  // when last asked; forgotten after a chat request, unless it is an error
	model   string                   // of the last reply; "" during a request
	context int                      // of that reply, in tokens
	replied time.Time                // when that reply ended
	keeps   map[string]time.Duration // how long models stay in memory, if you have said so
}

var (
	_ provider.Model   = (*Client)(nil)
	_ provider.Library = (*Client)(nil)
	_ provider.Puller  = (*Client)(nil)
	_ provider.Memory  = (*Client)(nil)
	_ provider.Manager = (*Client)(nil)
)

// New returns a client for the server at an http or https address. It sends no request.
func New(address string) (*Client, error) { return NewOver(endpoint.Transport(nil), address) }

// NewOver is like New with another transport. The caller must close its idle connections.
func NewOver(transport http.RoundTripper, address string) (*Client, error) {
	base, err := netaddr.ParseBase(address)
	if err != nil {
		return nil, fmt.Errorf("the host %w", err)
	}
	secrets := secret.Of("", base.String())
	if _, has := base.User.Password(); base.User != nil && !has { // a user name alone may be a token
		secrets = append(secrets, base.User.Username())
	}
	return &Client{infos: map[string]provider.Info{}, keeps: map[string]time.Duration{}, Server: &endpoint.Server{
		Base: base, Name: "Ollama server", Program: "ollama serve", Setting: "the host",
		Usual:   "check the host (the default is http://127.0.0.1:11434)",
		Trust:   "add its certificate to the system's trusted certificates",
		Secrets: secret.Hide(secrets, nil),
		HTTP:    endpoint.NewClient(transport),
	}}, nil
}

// open posts a request whose response is a stream of JSON lines.
func (c *Client) open(ctx context.Context, path string, request any) (*endpoint.Stream, error) {
	s, err := c.Open(ctx, c.Base.JoinPath(path), request)
	return s, c.explain(err)
}

// get is like endpoint.Server.Fetch.
func (c *Client) get(ctx context.Context, path string, body, result any) error {
	return c.explain(c.Fetch(ctx, c.Base.JoinPath(path), body, result))
}

// explain completes the error of a request.
func (c *Client) explain(err error) error {
	if r, ok := errors.AsType[*endpoint.Refusal](err); ok {
		return c.refused(r)
	}
	if e, ok := errors.AsType[*provider.Error](err); ok && e.Hint == "" { // unreachable
		e.Hint = "check the host, or start Ollama there with: OLLAMA_HOST=0.0.0.0 ollama serve"
		if c.Local() {
			e.Hint = "start it with: ollama serve"
			if _, missing := exec.LookPath(program); missing != nil {
				e.Err, e.Hint = errors.Join(e.Err, missing), hintInstall
				e.Text += ", and Ollama is not installed"
			}
		}
	}
	return err
}

// Version returns the server's version: "0.24.0".
func (c *Client) Version(ctx context.Context) (string, error) {
	var result struct{ Version string }
	err := c.get(ctx, "/api/version", nil, &result)
	return result.Version, err
}
