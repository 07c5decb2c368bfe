// Package ollama talks to an Ollama server: it chats with its models, lists them, fetches new ones, and starts a
// server if you ask for one.
//
// Requests have the types of Ollama's own api package. Answers are read here: the api package lets several failures
// pass as success (an error status without a body, an answer that ends before it is done) and others as text without
// a kind. Here every failure is a *provider.Error.
package ollama

import (
	"context"
	"errors"
	"net/http"
	"os/exec"
	"sync"

	"github.com/aloudchat/aloud/provider"
	"github.com/aloudchat/aloud/provider/endpoint"
	"github.com/aloudchat/aloud/secret"
)

// Client is a provider.Model, a provider.Library, a provider.Puller and a provider.Memory. Safe for concurrent use.
type Client struct {
	*endpoint.Server

	mu    sync.Mutex
	infos map[string]provider.Info // by name as asked for
}

var (
	_ provider.Model   = (*Client)(nil)
	_ provider.Library = (*Client)(nil)
	_ provider.Puller  = (*Client)(nil)
	_ provider.Memory  = (*Client)(nil)
)

// New makes a client for the server at host, written like OLLAMA_HOST: "", "host", "host:port" or a URL with an
// optional path. It makes no request.
func New(host string) (*Client, error) { return NewOver(endpoint.Transport(nil), host) }

// NewOver is New over connections of the caller's, which closes idle ones at the end.
func NewOver(transport http.RoundTripper, host string) (*Client, error) {
	base, err := parseHost(host)
	if err != nil {
		return nil, err
	}
	secrets := secret.Of("", base.String())
	if _, has := base.User.Password(); base.User != nil && !has { // a name without a password may be a token
		secrets = append(secrets, base.User.Username())
	}
	return &Client{infos: map[string]provider.Info{}, Server: &endpoint.Server{
		Base: base, Name: "Ollama server", API: "Ollama's API", Program: "ollama serve", Setting: "the host",
		Usual:   "check the host: Ollama usually answers at http://127.0.0.1:11434",
		Trust:   "add the certificate to those that this system trusts",
		Secrets: secret.Hide(secrets, nil),
		HTTP:    endpoint.NewClient(transport),
	}}, nil
}

// open makes a request whose answer is a stream of JSON lines.
func (c *Client) open(ctx context.Context, path string, request any) (*endpoint.Stream, error) {
	s, err := c.Open(ctx, c.Base.JoinPath(path), request)
	return s, c.explain(err)
}

// get makes a request whose answer is one object, with a body unless that is nil.
func (c *Client) get(ctx context.Context, path string, body, answer any) error {
	method := http.MethodGet
	if body != nil {
		method = http.MethodPost
	}
	resp, err := c.Send(ctx, method, c.Base.JoinPath(path), body)
	if err != nil {
		return c.explain(err)
	}
	return c.Read(ctx, resp, answer)
}

// explain gives an error of a request its final form.
func (c *Client) explain(err error) error {
	if r, ok := errors.AsType[*endpoint.Refusal](err); ok {
		return c.refused(r)
	}
	if e, ok := errors.AsType[*provider.Error](err); ok && e.Hint == "" { // no server answers
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

// Version asks the server for its version, "0.24.0".
func (c *Client) Version(ctx context.Context) (string, error) {
	var answer struct {
		Version string `json:"version"`
	}
	err := c.get(ctx, "/api/version", nil, &answer)
	return answer.Version, err
}

// Loaded is a model in the server's memory.
type Loaded struct {
	Name    string `json:"name"`
	Size    int64  `json:"size"`           // bytes in memory, all together
	VRAM    int64  `json:"size_vram"`      // bytes of them on the GPU
	Context int    `json:"context_length"` // tokens; 0: an old server does not tell
}

// Loaded lists the models that are in the server's memory.
func (c *Client) Loaded(ctx context.Context) ([]Loaded, error) {
	var answer struct {
		Models []Loaded `json:"models"`
	}
	err := c.get(ctx, "/api/ps", nil, &answer)
	return answer.Models, err
}

// LoadedContext implements provider.Memory.
func (c *Client) LoadedContext(ctx context.Context, model string) int {
	ctx, cancel := context.WithTimeout(ctx, psTimeout)
	defer cancel()
	loaded, _ := c.Loaded(ctx) // without an answer nothing is known
	for _, m := range loaded {
		if fullName(m.Name) == fullName(model) && m.Context < 1<<30 {
			return max(0, m.Context)
		}
	}
	return 0
}
