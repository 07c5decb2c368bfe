package oauth

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/aloudchat/aloud/mcpclient"
)

// need is the reason why another token is needed.
type need struct {
	used   string   // the token that cannot be used
	scopes []string // missing scopes; nil if the token was refused or has expired
}

// renewed returns a record with another token, without a browser. Callers with the same need wait for one renewal. That
// continues after ctx ends, because the response may contain the only valid refresh token.
func (s *Session) renewed(ctx context.Context, why need) (record, error) {
	key := why.used + " " + strings.Join(why.scopes, " ")
	under := context.WithoutCancel(ctx)
	flight := s.flights.DoChan(key, func() (any, error) {
		ctx, cancel := context.WithTimeout(under, requestLimit)
		defer cancel()
		return s.renew(ctx, why)
	})
	select {
	case landed := <-flight:
		r, _ := landed.Val.(record)
		return r, landed.Err
	case <-ctx.Done():
		return record{}, ctx.Err()
	}
}

// renew obtains a token. It holds the lock of the login, because many refresh tokens can be used only once.
func (s *Session) renew(ctx context.Context, why need) (record, error) {
	unlock, err := s.store.lock(ctx, s.key)
	if err != nil {
		return record{}, s.failed(err)
	}
	defer unlock()
	r := s.reload()
	now := time.Now()
	if r.Access == why.used || r.due(now) || r.over(now) || !r.grants(why.scopes) { // no other caller has renewed it
		if err := s.rests(r); err != nil {
			return record{}, err
		}
		next, err := s.obtain(ctx, r, why)
		if err != nil {
			s.rest(r, err)
			return record{}, err
		}
		r = next
		_ = s.keep(ctx, r) // LogIn reports this error
	}
	return r, nil
}

// retryPause is how long a failed renewal is not repeated, so that a login server that fails is not flooded by requests
// that each need a token.
const retryPause = 15 * time.Second

// failure is a failed renewal.
type failure struct {
	of  string // the refresh token
	at  time.Time
	err error
}

// rest records a failed renewal. An error that asks for a login is not one.
func (s *Session) rest(r record, err error) {
	if errors.Is(err, mcpclient.ErrLoginNeeded) {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.failure = failure{r.Refresh, time.Now(), err}
}

// rests returns the error of the last renewal if that has just failed.
func (s *Session) rests(r record) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if f := s.failure; f.of == r.Refresh && time.Since(f.at) < retryPause {
		return f.err
	}
	return nil
}

// obtain gets a token without a browser. The error matches mcpclient.ErrLoginNeeded if that is not possible.
func (s *Session) obtain(ctx context.Context, r record, why need) (record, error) {
	if s.options.Grant == ClientCredentials {
		return s.clientCredentials(ctx, union(r.Scopes, why.scopes))
	}
	if r.Refresh == "" || !r.grants(why.scopes) || why.scopes == nil && !r.over(time.Now()) && s.hasMoved(ctx, r) {
		if !slices.Equal(union(r.Wanted, why.scopes), r.Wanted) {
			r.Wanted = union(r.Wanted, why.scopes) // the next login may be in another process
			_ = s.keep(ctx, r)
		}
		return record{}, s.loginNeeded(why.scopes)
	}
	form := url.Values{"grant_type": {"refresh_token"}, "refresh_token": {r.Refresh}}
	next, err := s.requestToken(ctx, r, form, r.Scopes)
	switch {
	case ended(err):
		r.Access, r.Refresh = "", ""
		_ = s.keep(ctx, r)
		return record{}, s.loginNeeded(nil)
	case err != nil:
		return record{}, s.failed(fmt.Errorf("%w. The login is kept. Try again later, or run `aloud mcp login %s`", err,
			s.options.Server))
	}
	return next, nil
}

// hasMoved reports whether the MCP server names another login server now.
func (s *Session) hasMoved(ctx context.Context, r record) bool {
	found, err := s.resourceMetadata(ctx, s.lastAsked())
	return err == nil && found != nil && !slices.ContainsFunc(found.AuthorizationServers, func(issuer string) bool {
		return sameIssuer(issuer, r.Issuer)
	})
}

// clientCredentials obtains a token with the secret or key of the client.
func (s *Session) clientCredentials(ctx context.Context, before []string) (record, error) {
	if s.options.Issuer == "" {
		return record{}, s.failed(errors.New(`the grant "client_credentials" needs oauth.issuer in the configuration`))
	}
	asked := s.lastAsked()
	at, err := s.discover(ctx, asked)
	if err != nil {
		return record{}, s.failed(err)
	}
	who, ok := s.configured(at.meta)
	if !ok || who.Method == byNothing {
		return record{}, s.failed(errors.New(`the grant "client_credentials" needs client_id and a secret or private key`))
	}
	scopes := union(s.scopesFor(at, asked), before)
	form := url.Values{"grant_type": {"client_credentials"}}
	if len(scopes) > 0 {
		form.Set("scope", strings.Join(scopes, " "))
	}
	r, err := s.requestToken(ctx, recordAt(at, who), form, scopes)
	if err != nil {
		return record{}, s.failed(err)
	}
	return r, nil
}

// recordAt returns a login without tokens.
func recordAt(at endpoint, who client) record {
	return record{Issuer: at.meta.Issuer, Token: at.meta.TokenEndpoint, Resource: at.resource, Client: who}
}

// scopesFor returns the configured scopes, or those the server requires, or all it supports.
func (s *Session) scopesFor(at endpoint, asked challenge) []string {
	switch {
	case len(s.options.Scopes) > 0:
		return s.options.Scopes
	case len(asked.scopes) > 0:
		return asked.scopes
	}
	return at.scopes
}

func (s *Session) lastAsked() challenge {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.asked
}
