package oauth

import (
	"context"
	"net/url"
	"slices"
	"strings"
	"time"
)

// need is why another token is wanted.
type need struct {
	used   string   // the token that will not do
	scopes []string // that it lacks; nil: it is refused, or its time is up
}

// renewed returns a record with a token other than the one that will not do, if that takes no browser. Callers that want the same wait for one
// renewal. It goes on when a caller's context ends, since the answer may hold the only valid refresh token.
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

// renew holds the lock of the login: many refresh tokens are good for one use, and another aloud may have the same.
func (s *Session) renew(ctx context.Context, why need) (record, error) {
	unlock, err := s.store.lock(ctx, s.key)
	if err != nil {
		return record{}, s.failed(err)
	}
	defer unlock()
	r := s.reload()
	if !why.fulfilled(r) {
		if r, err = s.obtain(ctx, r, why); err != nil {
			return record{}, err
		}
		_ = s.keep(ctx, r) // it is in use all the same, and LogIn says when nothing can be kept
	}
	return r, nil
}

// fulfilled reports whether the record has been renewed meanwhile.
func (n need) fulfilled(r record) bool {
	return r.Access != n.used && !r.due(time.Now()) && !r.over(time.Now()) && r.grants(n.scopes)
}

// obtain gets a token without a browser. The error matches conn.ErrLoginNeeded if that is not possible.
func (s *Session) obtain(ctx context.Context, r record, why need) (record, error) {
	if s.options.Grant == ClientCredentials {
		return s.clientCredentials(ctx, union(r.Scopes, why.scopes))
	}
	if r.Refresh == "" || !r.grants(why.scopes) || why.scopes == nil && !r.over(time.Now()) && s.hasMoved(ctx, r) {
		if !slices.Equal(union(r.Wanted, why.scopes), r.Wanted) {
			r.Wanted = union(r.Wanted, why.scopes) // the next login may happen in another aloud
			_ = s.keep(ctx, r)
		}
		return record{}, s.loginNeeded(why.scopes)
	}
	next, err := s.ask(ctx, r, url.Values{"grant_type": {"refresh_token"}, "refresh_token": {r.Refresh}}, r.Scopes)
	switch {
	case final(err):
		r.Access, r.Refresh = "", ""
		_ = s.keep(ctx, r)
		return record{}, s.loginNeeded(nil)
	case err != nil:
		return record{}, s.failed(err)
	}
	return next, nil
}

// hasMoved reports whether the MCP server names another login server now.
func (s *Session) hasMoved(ctx context.Context, r record) bool {
	told, err := s.resourceMetadata(ctx, s.lastAsked())
	return err == nil && told != nil && !slices.ContainsFunc(told.AuthorizationServers, func(issuer string) bool { return sameIssuer(issuer, r.Issuer) })
}

// clientCredentials gets a token with nothing but the client's own secret or key.
func (s *Session) clientCredentials(ctx context.Context, before []string) (record, error) {
	if s.options.Issuer == "" {
		return record{}, s.failed(errNoIssuer)
	}
	asked := s.lastAsked()
	at, err := s.discover(ctx, asked)
	if err != nil {
		return record{}, s.failed(err)
	}
	who, ok := s.configured(at.meta)
	if !ok || who.Method == byNothing {
		return record{}, s.failed(errNoCredentials)
	}
	scopes := union(s.scopesFor(at, asked), before)
	form := url.Values{"grant_type": {"client_credentials"}}
	if len(scopes) > 0 {
		form.Set("scope", strings.Join(scopes, " "))
	}
	r, err := s.ask(ctx, recordAt(at, who), form, scopes)
	if err != nil {
		return record{}, s.failed(err)
	}
	return r, nil
}

// recordAt is a login before there are tokens.
func recordAt(at place, who client) record {
	return record{Issuer: at.meta.Issuer, Token: at.meta.TokenEndpoint, Resource: at.resource, Client: who}
}

// scopesFor are the scopes to ask for: those of the configuration, else those that the server wants, else all that it has.
func (s *Session) scopesFor(at place, asked challenge) []string {
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
