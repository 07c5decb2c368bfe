// Package oauth authenticates to MCP servers by OAuth 2.1, as the Model Context Protocol describes it.
//
// A Session is the login to one server. Its Transport puts the token on every request, LogIn logs in with a browser.
// Discovery and registration are the official SDK's; the choice of a login server, the secrets that go there, and the words are ours.
package oauth

import (
	"cmp"
	"context"
	"crypto"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"slices"
	"sync"
	"time"

	"golang.org/x/sync/singleflight"

	"github.com/aloudchat/aloud/mcpclient/conn"
)

// Grants, as the configuration names them.
const (
	AuthorizationCode = "authorization_code" // you log in with a browser; the default
	ClientCredentials = "client_credentials" // the client logs in for itself, with its secret or key
)

// Options describe a server and how to log in to it. Only Server and URL are required.
type Options struct {
	Server string // its name in the configuration
	URL    string
	Grant  string // AuthorizationCode or ClientCredentials

	Issuer            string            // the only login server that is used; "": the one that the server names, see Session
	ClientID          string            // of a client that was registered by hand
	ClientSecret      string            // "": it is a public client
	PrivateKey        crypto.Signer     // signs for the client instead of a secret; see ReadKey
	SigningAlgorithm  string            // of PrivateKey, "RS256"; "": the usual one of the key's kind
	ClientMetadataURL string            // where a document describes the client, for servers that take its address as the id
	Scopes            []string          // that are asked for instead of those the server names
	CallbackPort      int               // on 127.0.0.1, where the browser is sent in the end; 0: any that is free
	Patience          time.Duration     // limits how long a login may take; 0 means five minutes
	Dir               string            // where logins are kept, in the file tokens.json; "": they end with the program
	Base              http.RoundTripper // nil: that of net/http; connections of an *http.Transport to login servers are checked, see reach.go
	Resolver          *net.Resolver     // looks names up; nil: the system's
}

// Session is the login to one server. It implements conn.Login.
//
// The secret or key of a configured client is sent to one issuer only. Without Options.Issuer that is the issuer of the first login, which you are
// shown before; a logout forgets it. ClientCredentials needs Options.Issuer.
type Session struct {
	options Options
	home    *url.URL
	store   store
	key     string // in the store
	client  *http.Client
	flights singleflight.Group // renewals: one at a time, and all wait for it

	mu    sync.Mutex
	kept  record
	asked challenge // the last one of the server
}

var _ conn.Login = (*Session)(nil)

// requestLimit bounds each request to an authorization server, and a renewal with all its requests.
const requestLimit = 30 * time.Second

// New returns the login to a server. It asks nothing yet.
func New(options Options) *Session {
	home, err := url.Parse(options.URL)
	if err != nil {
		home = new(url.URL) // requests go out as they are, and LogIn says what is wrong
	}
	options.Patience = cmp.Or(options.Patience, 5*time.Minute)
	if options.Base == nil {
		options.Base = http.DefaultTransport
	}
	s := &Session{options: options, home: home, key: keyOf(options.Server, home), store: store{options.Dir}}
	s.client = &http.Client{Transport: newCheckedTransport(s, options.Base), CheckRedirect: onlyReading, Timeout: requestLimit}
	s.reload()
	return s
}

// known returns the login as it was last read or kept.
func (s *Session) known() record {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.kept
}

// Secrets implements conn.Secretive: a server may repeat what it was sent.
func (s *Session) Secrets() []string {
	const shortest = 8
	kept := s.known()
	return slices.DeleteFunc([]string{kept.Access, kept.Refresh, kept.Client.Secret}, func(value string) bool { return len(value) < shortest })
}

// reload reads the store again: another aloud may have logged in or renewed the token since.
func (s *Session) reload() record {
	all, err := s.store.read()
	s.mu.Lock()
	defer s.mu.Unlock()
	if err == nil && s.store.dir != "" {
		s.kept = s.ofIssuer(all[s.key].Login)
	}
	return s.kept
}

// keep writes a login into the store. It is in use even if it cannot be written.
func (s *Session) keep(ctx context.Context, r record) error {
	s.mu.Lock()
	s.kept = r
	s.mu.Unlock()
	if err := s.store.change(ctx, func(all logins) { all[s.key] = entry{r} }); err != nil {
		return fmt.Errorf("%q cannot be written: %w", s.store.path(), err)
	}
	return nil
}

// onlyReading follows redirects of GET requests only: a secret must not be sent on.
func onlyReading(_ *http.Request, before []*http.Request) error {
	if before[0].Method != http.MethodGet || len(before) > 5 {
		return http.ErrUseLastResponse
	}
	return nil
}
