// Package oauth authenticates to MCP servers by OAuth 2.1, as the Model Context Protocol describes it.
//
// A Session is the login to one server. Its Transport adds the token to every request, and LogIn logs in with a
// browser. Discovery and registration use the official SDK.
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
	"strings"
	"sync"
	"time"

	"golang.org/x/sync/singleflight"

	"github.com/aloudchat/aloud/internal/sanitize"
	"github.com/aloudchat/aloud/mcpclient"
	"github.com/aloudchat/aloud/mcpclient/conn"
)

// Grants, as the configuration names them.
const (
	AuthorizationCode = "authorization_code" // with a browser; the default
	ClientCredentials = "client_credentials" // with the secret or key of the client
)

// Options describe a server and how to log in to it. Only Server and URL are required.
type Options struct {
	Server string // its name in the configuration
	URL    string
	Grant  string // AuthorizationCode or ClientCredentials

	Issuer            string            // the only login server to use; "" means the one that the server names
	ClientID          string            // of a client that you registered
	ClientSecret      string            // "" means a public client
	PrivateKey        crypto.Signer     // signs for the client instead of a secret; see ReadKey
	SigningAlgorithm  string            // of PrivateKey, "RS256"; "" means the usual one for the key
	ClientMetadataURL string            // of a document that describes the client
	Scopes            []string          // to request instead of those that the server names
	CallbackPort      int               // on 127.0.0.1, for the redirect; 0 means any free port
	Patience          time.Duration     // time limit of a login; 0 means five minutes
	Dir               string            // folder of tokens.json; "" means that logins are not stored
	Base              http.RoundTripper // may be nil; reach.go checks connections of an *http.Transport
	Resolver          *net.Resolver     // may be nil
}

// Session is the login to one server. It implements mcpclient.Login.
//
// The secret or key of a configured client is sent to one issuer only. Without Options.Issuer, this is the issuer of
// your first login, until you log out. It is shown to you first. ClientCredentials needs Options.Issuer.
type Session struct {
	options Options
	home    *url.URL
	store   store
	key     string // in the store
	client  *http.Client
	flights singleflight.Group // renewals

	mu      sync.Mutex
	kept    record
	asked   challenge // the last one
	failure failure   // of the last renewal that failed
}

var _ mcpclient.Login = (*Session)(nil)

// requestLimit is the timeout of a request to a login server, and of a renewal.
const requestLimit = 30 * time.Second

// New returns the login to a server.
func New(options Options) *Session {
	home, err := url.Parse(options.URL)
	if err != nil {
		home = new(url.URL) // LogIn returns an error
	}
	options.Patience = cmp.Or(options.Patience, 5*time.Minute)
	if options.Base == nil {
		options.Base = http.DefaultTransport
	}
	s := &Session{options: options, home: home, key: keyOf(options.Server, home), store: store{options.Dir}}
	checked := newCheckedTransport(s, options.Base)
	s.client = &http.Client{Transport: checked, CheckRedirect: checkRedirect, Timeout: requestLimit}
	s.reload()
	return s
}

// known returns the login in use.
func (s *Session) known() record {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.kept
}

// Secrets implements mcpclient.Login.
func (s *Session) Secrets() []string {
	const shortest = 8
	kept := s.known()
	values := []string{kept.Access, kept.Refresh, kept.Client.Secret}
	return slices.DeleteFunc(values, func(value string) bool { return len(value) < shortest })
}

// reload reads the store, because another process may have logged in or renewed the token.
func (s *Session) reload() record {
	all, err := s.store.read()
	s.mu.Lock()
	defer s.mu.Unlock()
	if err == nil && s.store.dir != "" {
		s.kept = all[s.key].Login
		if of := s.kept.Issuer; of != "" && s.options.Issuer != "" && !sameIssuer(of, s.options.Issuer) {
			s.kept = record{} // of another issuer than the configured one
		}
	}
	return s.kept
}

// keep uses and stores a login. It is used even after an error.
func (s *Session) keep(ctx context.Context, r record) error {
	s.mu.Lock()
	s.kept = r
	s.mu.Unlock()
	if err := s.store.change(ctx, func(all logins) { all[s.key] = entry{r} }); err != nil {
		return fmt.Errorf("cannot write %q: %w", s.store.path(), err)
	}
	return nil
}

// checkRedirect follows redirects of GET requests only, because others contain secrets.
func checkRedirect(_ *http.Request, before []*http.Request) error {
	if before[0].Method != http.MethodGet || len(before) > 5 {
		return http.ErrUseLastResponse
	}
	return nil
}

// clean makes a text of a server safe for an error.
func clean(text string) string { return sanitize.Clip(sanitize.Line(sanitize.Cut(text, 1200)), 300) }

// loginNeeded returns the error of a request that needs a login with a browser.
func (s *Session) loginNeeded(scopes []string) error {
	why := "requires a login"
	if len(scopes) > 0 {
		why = fmt.Sprintf("requires a login with more permissions (%s)", clean(strings.Join(scopes, " ")))
	}
	text := fmt.Sprintf("server %q %s. Run `aloud mcp login %s`", s.options.Server, why, s.options.Server)
	return &conn.Error{Kind: mcpclient.ErrLoginNeeded, Text: text}
}

// failed returns the error of a login that failed without being refused.
func (s *Session) failed(err error) error {
	text := fmt.Sprintf("login to server %q failed: %v", s.options.Server, err)
	return &conn.Error{Kind: mcpclient.ErrLogin, Text: text, Cause: err}
}
