// Package openai talks to every server that speaks OpenAI's chat completions: vLLM, Ray Serve, llama.cpp's server, LM Studio, Ollama's own /v1,
// and those that somebody hosts. There is one Client for all of them; what one server takes and another refuses is learned from its refusals.
//
// It stands on net/http and a reader of its own for the event stream. The vendor's library would more than double the size of the program,
// reads only what the vendor itself sends (servers repeat, omit and misspell a good deal), and says what went wrong without saying of what
// kind it is. Whatever goes wrong here is a *provider.Error: one sentence and the next step.
package openai

import (
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"golang.org/x/net/http/httpguts"

	"github.com/aloudchat/aloud/atomicfile"
	"github.com/aloudchat/aloud/provider"
	"github.com/aloudchat/aloud/secret"
)

// dialTimeout bounds how long a server may take to accept a connection. There is no bound on the answer: reading a long prompt can take minutes.
const dialTimeout = 5 * time.Second

// Options say where a server is, and how it is entered.
type Options struct {
	BaseURL string            // a whole URL, with or without /v1
	Key     string            // sent as a bearer token; "": none
	Headers map[string]string // sent with every request; an Authorization among them replaces Key
	CAFile  string            // PEM file of certificates to trust besides the system's; "": none
	Secrets []string          // what else must never be shown
}

// Client is a provider.Model and a provider.Library. Safe for concurrent use.
type Client struct {
	base    *url.URL // ends with /v1, or what stands for it
	http    *http.Client
	headers http.Header
	secrets secret.Hider

	mu     sync.Mutex
	habits map[string]habits // by model
	owner  string            // of the model described last
}

var (
	_ provider.Model   = (*Client)(nil)
	_ provider.Library = (*Client)(nil)
)

// New makes a client. It does not look whether a server is there. The error is one sentence.
func New(o Options) (*Client, error) {
	base, err := parseBase(o.BaseURL)
	if err != nil {
		return nil, err
	}
	trusted, err := certificates(o.CAFile)
	if err != nil {
		return nil, err
	}
	c := &Client{base: base, headers: http.Header{}, habits: map[string]habits{}}
	c.headers.Set("User-Agent", "aloud")
	secrets := slices.Concat(o.Secrets, secret.Of("key", o.Key), secret.Of("", o.BaseURL), secret.Of("", base.String()))
	if o.Key != "" {
		c.headers.Set("Authorization", "Bearer "+o.Key)
	}
	for name, value := range o.Headers {
		if !httpguts.ValidHeaderFieldName(name) {
			return nil, fmt.Errorf("%q is no name of a header; a name has letters, digits and dashes", name)
		}
		c.headers.Set(name, value)
		secrets = append(secrets, secret.Of("Authorization", value)...)
	}
	for name, values := range c.headers {
		if !httpguts.ValidHeaderFieldValue(values[0]) { // it is secret, so it is not repeated
			return nil, fmt.Errorf("the value of the header %q, or the key in it, must be one line without control characters; see where it comes from", name)
		}
	}
	c.secrets = secret.Hide(secrets, nil)
	dialer := &net.Dialer{Timeout: dialTimeout, KeepAlive: 30 * time.Second}
	c.http = &http.Client{
		Transport: &http.Transport{
			Proxy:               http.ProxyFromEnvironment, // never for loopback addresses
			DialContext:         dialer.DialContext,
			ForceAttemptHTTP2:   true,
			TLSClientConfig:     &tls.Config{RootCAs: trusted, MinVersion: tls.VersionTLS12},
			TLSHandshakeTimeout: 10 * time.Second,
			IdleConnTimeout:     90 * time.Second,
			DisableCompression:  true, // a compressing proxy would hold the stream back
			ReadBufferSize:      32 << 10,
		},
		// A redirected POST would arrive as a GET, and the key at another place; the redirect is reported instead.
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
	return c, nil
}

// Address is the server's URL, without a password and other secrets.
func (c *Client) Address() string { return c.secrets.Text(c.base.Redacted()) }

// parseBase reads an address with or without the path of the API, or with that of one of its requests.
func parseBase(text string) (*url.URL, error) {
	u, err := url.Parse(strings.TrimSpace(text))
	if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "" || u.RawQuery != "" || u.Fragment != "" {
		return nil, errors.New(`base_url is no address such as "http://127.0.0.1:8000/v1"`) // it may hold a password, so it is not repeated
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

// root is the address of what a server has beside the API.
func (c *Client) root() *url.URL {
	u := *c.base
	u.Path = strings.TrimSuffix(u.Path, "/v1")
	return &u
}

// certificates are those of the system and of the file; nil means those of the system alone.
func certificates(file string) (*x509.CertPool, error) {
	if file == "" {
		return nil, nil
	}
	pem, err := os.ReadFile(filepath.Clean(file))
	if err != nil {
		return nil, fmt.Errorf("ca_file %q cannot be read: %w", file, atomicfile.Cause(err))
	}
	pool, err := x509.SystemCertPool()
	if err != nil { // a system without certificates has ours
		pool = x509.NewCertPool()
	}
	if !pool.AppendCertsFromPEM(pem) {
		return nil, fmt.Errorf("ca_file %q has no certificate in PEM form", file)
	}
	return pool, nil
}
