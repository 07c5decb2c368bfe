package oauth

import (
	"context"
	"errors"
	"io"
	"net/http"
	"strings"
	"time"

	"github.com/modelcontextprotocol/go-sdk/oauthex"
)

// Transport implements mcpclient.Login.
func (s *Session) Transport(base http.RoundTripper) http.RoundTripper {
	return &transport{session: s, base: base}
}

type transport struct {
	session *Session
	base    http.RoundTripper
}

// RoundTrip implements http.RoundTripper. It sends a refused request again if it can obtain another token.
func (t *transport) RoundTrip(r *http.Request) (*http.Response, error) {
	if !sameHost(r.URL, t.session.home) || r.Header.Get("Authorization") != "" { // it must not have the token
		return t.base.RoundTrip(r)
	}
	held := t.session.fresh(r.Context())
	response, err := t.send(r, held)
	if err != nil {
		return nil, err
	}
	why, refused := t.session.refusal(r.Context(), held, response)
	if !refused {
		return response, nil
	}
	discard(response)
	if held, err = t.session.renewed(r.Context(), why); err != nil {
		return nil, err
	}
	response, err = t.send(r, held)
	if err != nil || response.StatusCode != http.StatusUnauthorized {
		return response, err
	}
	t.session.note(readChallenge(response.Header))
	discard(response)
	if t.session.options.Grant == ClientCredentials {
		return nil, t.session.failed(errors.New("the server rejected a new token"))
	}
	return nil, t.session.loginNeeded(nil)
}

// send sends a copy of a request.
func (t *transport) send(r *http.Request, held record) (_ *http.Response, err error) {
	r = r.Clone(r.Context())
	if r.GetBody != nil {
		if r.Body, err = r.GetBody(); err != nil {
			return nil, err
		}
	}
	if held.Access != "" {
		r.Header.Set("Authorization", "Bearer "+held.Access)
	}
	return t.base.RoundTrip(r)
}

// discard closes a response so that the connection can be reused.
func discard(response *http.Response) {
	_, _ = io.CopyN(io.Discard, response.Body, 64<<10)
	response.Body.Close()
}

// fresh returns the login, renewed if it is due and that succeeds.
func (s *Session) fresh(ctx context.Context) record {
	held := s.known()
	if held.Access != "" && held.due(time.Now()) {
		if renewed, err := s.renewed(ctx, need{used: held.Access}); err == nil {
			return renewed
		}
	}
	return held
}

// refusal returns why a request was refused, and whether another token may help.
func (s *Session) refusal(ctx context.Context, held record, response *http.Response) (need, bool) {
	asked := readChallenge(response.Header)
	switch {
	case response.StatusCode == http.StatusUnauthorized && (held.Access != "" || s.offersLogin(ctx, asked)):
		s.note(asked)
		return need{used: held.Access}, true
	case response.StatusCode == http.StatusForbidden && asked.err == "insufficient_scope" && !held.grants(asked.scopes):
		s.note(asked)
		return need{used: held.Access, scopes: asked.scopes}, true
	}
	return need{}, false
}

// note records the challenge of a refused request for the next login.
func (s *Session) note(asked challenge) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if asked.metadata == "" {
		asked.metadata = s.asked.metadata
	}
	s.asked = asked
}

// offersLogin reports whether a server has a login server. Otherwise it accepts only tokens that are configured. If it
// is unknown, a server that accepts tokens has one.
func (s *Session) offersLogin(ctx context.Context, asked challenge) bool {
	_, err := s.discover(ctx, asked)
	return err == nil || asked.bearer && !errors.Is(err, errNoLoginServer)
}

// challenge is the WWW-Authenticate header of a refused request.
type challenge struct {
	bearer   bool   // the server accepts tokens
	metadata string // the address of the resource metadata
	err      string // "insufficient_scope", "invalid_token"
	scopes   []string
}

const (
	maxScopes = 50
	maxScope  = 200 // bytes
)

func readChallenge(header http.Header) challenge {
	var found challenge
	for _, line := range header.Values("WWW-Authenticate") { // separately, because some schemes have their own grammar
		challenges, _ := oauthex.ParseWWWAuthenticate([]string{line})
		for _, one := range challenges {
			if one.Scheme == "bearer" && !found.bearer {
				found = challenge{true, one.Params["resource_metadata"], one.Params["error"], scopeList(one.Params["scope"])}
			}
		}
	}
	return found
}

// scopeList parses a space-separated list of scopes.
func scopeList(text string) []string {
	var scopes []string
	for scope := range strings.FieldsSeq(text) {
		if len(scope) <= maxScope && len(scopes) < maxScopes {
			scopes = union(scopes, []string{scope})
		}
	}
	return scopes
}
