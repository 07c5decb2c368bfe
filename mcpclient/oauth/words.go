package oauth

import (
	"errors"
	"fmt"
	"strings"

	"github.com/aloudchat/aloud/mcpclient/conn"
	"github.com/aloudchat/aloud/sanitize"
)

// clean makes what servers say fit for one line of a sentence.
func clean(text string) string { return sanitize.Clip(sanitize.Line(sanitize.Cut(text, 1200)), 300) }

// loginNeeded is the error of a request that needs a login with a browser.
func (s *Session) loginNeeded(scopes []string) error {
	what := "wants a login"
	if len(scopes) > 0 {
		what = fmt.Sprintf("wants a login that allows more (%s)", clean(strings.Join(scopes, " ")))
	}
	return &conn.Error{Kind: conn.ErrLoginNeeded, Text: fmt.Sprintf("the server %q %s: run `aloud mcp login %s`", s.options.Server, what, s.options.Server)}
}

// failed is the error of a login that went wrong without being refused.
func (s *Session) failed(err error) error {
	return &conn.Error{Kind: conn.ErrLogin, Text: fmt.Sprintf("the login to the server %q did not work: %v", s.options.Server, err), Cause: err}
}

var errNoIssuer = errors.New("the configuration has no oauth.issuer, which the grant \"client_credentials\" needs: the credentials go to that login server only")

var errNoCredentials = errors.New("the configuration has no client_id with a secret or a private key, which the grant \"client_credentials\" needs")
