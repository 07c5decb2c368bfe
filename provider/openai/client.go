// Package openai talks to every server that speaks OpenAI's chat completions: vLLM, Ray Serve, llama.cpp's server, LM
// Studio, Ollama's own /v1, and hosted ones. There is one Client for all of them; what one server takes and another
// refuses is learned from its refusals.
//
// It has a reader of its own for the event stream. The vendor's library would more than double the size of the
// program and reads only what the vendor itself sends; servers repeat, omit and misspell a good deal.
package openai

import (
	"crypto/x509"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"golang.org/x/net/http/httpguts"

	"github.com/aloudchat/aloud/atomicfile"
	"github.com/aloudchat/aloud/provider"
	"github.com/aloudchat/aloud/provider/endpoint"
	"github.com/aloudchat/aloud/secret"
)

// Options say where a server is and how to authenticate to it.
type Options struct {
	BaseURL string            // a whole URL, with or without /v1
	Key     string            // sent as a bearer token; "": none
	Headers map[string]string // sent with every request; an Authorization among them replaces Key
	CAFile  string            // PEM file of certificates to trust besides the system's; "": none
	Secrets []string          // what else must never be shown
}

// Client is a provider.Model and a provider.Library. Safe for concurrent use.
type Client struct {
	*endpoint.Server // its Base ends with /v1, or what stands for it

	mu     sync.Mutex
	habits map[string]habits // by model
	owner  string            // of the model described last
}

var (
	_ provider.Model   = (*Client)(nil)
	_ provider.Library = (*Client)(nil)
)

// New makes a client. It makes no request. The error is one sentence.
func New(o Options) (*Client, error) {
	base, err := parseBase(o.BaseURL)
	if err != nil {
		return nil, err
	}
	trusted, err := certificates(o.CAFile)
	if err != nil {
		return nil, err
	}
	headers := http.Header{}
	secrets := slices.Concat(o.Secrets, secret.Of("key", o.Key), secret.Of("", o.BaseURL), secret.Of("", base.String()))
	if o.Key != "" {
		headers.Set("Authorization", "Bearer "+o.Key)
	}
	for name, value := range o.Headers {
		if !httpguts.ValidHeaderFieldName(name) {
			return nil, fmt.Errorf("%q is not a header name; a name has letters, digits and dashes", name)
		}
		headers.Set(name, value)
		secrets = append(secrets, secret.Of("Authorization", value)...)
	}
	for name, values := range headers {
		if !httpguts.ValidHeaderFieldValue(values[0]) { // it is secret, so it is not repeated
			return nil, fmt.Errorf("the value of the header %q, or the key in it, must be one line without control characters; see where it comes from", name)
		}
	}
	return &Client{habits: map[string]habits{}, Server: &endpoint.Server{
		Base: base, Name: "model server", API: "OpenAI's API", Program: "the server", Setting: "base_url",
		Usual:   "check base_url: that of most servers ends with /v1",
		Trust:   "name the file of the certificate with ca_file",
		Header:  headers,
		Secrets: secret.Hide(secrets, nil),
		HTTP:    endpoint.NewClient(endpoint.Transport(trusted)),
	}}, nil
}

// parseBase reads an address with or without the path of the API, or with that of one of its requests.
func parseBase(text string) (*url.URL, error) {
	u, err := url.Parse(strings.TrimSpace(text))
	if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "" || u.RawQuery != "" || u.Fragment != "" {
		return nil, errors.New(`base_url is not an address such as "http://127.0.0.1:8000/v1"`) // it may hold a password, so it is not repeated
	}
	path := strings.TrimRight(u.Path, "/")
	path = strings.TrimSuffix(path, "/chat/completions")
	path = strings.TrimSuffix(path, "/models")
	if path == "" {
		path = "/v1"
	}
	u.Path, u.RawPath = path, ""
	return u, nil
}

// certificates are those of the system and of the file; nil means the system's alone.
func certificates(file string) (*x509.CertPool, error) {
	if file == "" {
		return nil, nil
	}
	pem, err := os.ReadFile(filepath.Clean(file))
	if err != nil {
		return nil, fmt.Errorf("ca_file %q cannot be read: %w", file, atomicfile.Cause(err))
	}
	pool, err := x509.SystemCertPool()
	if err != nil { // the system has none
		pool = x509.NewCertPool()
	}
	if !pool.AppendCertsFromPEM(pem) {
		return nil, fmt.Errorf("ca_file %q has no certificate in PEM form", file)
	}
	return pool, nil
}
