// Package openai is a client for servers with OpenAI's chat completions API: vLLM, Ray Serve, llama.cpp, LM Studio,
// Ollama's /v1, and hosted ones. One Client serves all of them. It learns from refusals what a server does not support.
//
// It parses the event stream itself. OpenAI's library would more than double the size of the program, and fails where
// other servers repeat, omit or misspell parts.
package openai

import (
	"cmp"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync"

	"golang.org/x/net/http/httpguts"

	"github.com/aloudchat/aloud/internal/netaddr"
	"github.com/aloudchat/aloud/internal/secret"
	"github.com/aloudchat/aloud/provider"
	"github.com/aloudchat/aloud/provider/endpoint"
)

// Options are the address of a server and its credentials.
type Options struct {
	BaseURL string            // with or without /v1
	Key     string            // bearer token; may be empty
	Headers map[string]string // sent with every request; Authorization replaces Key
	CAFile  string            // PEM file of more certificates to trust; may be empty
	Secrets []string          // more secrets to hide in errors
	File    string            // the configuration file, for hints; may be empty
}

// Client implements provider.Model and provider.Library. It is safe for concurrent use.
type Client struct {
	*endpoint.Server // its Base usually ends with /v1

	tools endpoint.Tools
	file  string // where the key is set, for hints

	mu     sync.Mutex
	habits map[string]habits // by model
	owner  string            // owner of the last described model
}

var (
	_ provider.Model   = (*Client)(nil)
	_ provider.Library = (*Client)(nil)
)

// New returns a client. It sends no request.
func New(o Options) (*Client, error) {
	base, err := parseBase(o.BaseURL)
	if err != nil {
		return nil, err
	}
	trusted, err := netaddr.Trusted(o.CAFile)
	if err != nil {
		return nil, err
	}
	headers := http.Header{}
	secrets := slices.Concat(o.Secrets, secret.Of("key", o.Key), secret.Of("", o.BaseURL), secret.Of("", base.String()))
	if o.Key != "" {
		headers.Set("Authorization", "Bearer "+o.Key)
	}
	for name, value := range o.Headers {
		headers.Set(name, value)
		secrets = append(secrets, secret.Of("Authorization", value)...)
	}
	for name, values := range headers {
		if !httpguts.ValidHeaderFieldName(name) || !httpguts.ValidHeaderFieldValue(values[0]) {
			return nil, fmt.Errorf("invalid header %q. A name has letters, digits and dashes; a value or key is one line", name)
		}
	}
	server := &endpoint.Server{
		Base: base, Name: "model server", Program: "the server", Setting: "base_url",
		Usual:   "check base_url, which usually ends with /v1",
		Trust:   "set ca_file to its certificate file",
		Start:   "check base_url, and that the server is running",
		Header:  headers,
		Secrets: secret.Hide(secrets, nil),
		HTTP:    endpoint.NewClient(endpoint.Transport(trusted)),
	}
	if server.Local() {
		server.Start = "start the server, or set its address with base_url or --host"
	}
	return &Client{habits: map[string]habits{}, Server: server, file: cmp.Or(o.File, "the configuration")}, nil
}

// parseBase parses an address with or without the path of the API or of a request.
func parseBase(text string) (*url.URL, error) {
	u, err := netaddr.ParseBase(text)
	if err != nil {
		return nil, fmt.Errorf("base_url %w", err)
	}
	path := strings.TrimSuffix(u.Path, "/chat/completions")
	u.Path, u.RawPath = cmp.Or(strings.TrimSuffix(path, "/models"), "/v1"), ""
	return u, nil
}
