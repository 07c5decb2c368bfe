package oauth

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"golang.org/x/oauth2"
	"golang.org/x/oauth2/clientcredentials"
)

// refusedError is the error of a login server that refused a request.
type refusedError struct {
	code        string // "invalid_grant"
	description string
}

func (e *refusedError) Error() string {
	text := clean(e.code)
	if e.description != "" {
		text += ": " + clean(e.description)
	}
	return text
}

// final reports whether retrying is useless.
func final(err error) bool {
	refused, ok := errors.AsType[*refusedError](err)
	return ok && !slices.Contains([]string{"temporarily_unavailable", "server_error", "slow_down"}, refused.code)
}

// requestToken sends a form to the token endpoint and returns r with the token. wanted are the requested scopes.
func (s *Session) requestToken(ctx context.Context, r record, form url.Values, wanted []string) (record, error) {
	if r.Resource != "" {
		form.Set("resource", r.Resource)
	}
	// The form overrides the grant type.
	request := clientcredentials.Config{ClientID: r.Client.ID, TokenURL: r.Token, EndpointParams: form}
	if err := s.authenticate(r, &request); err != nil {
		return r, err
	}
	token, err := request.Token(context.WithValue(ctx, oauth2.HTTPClient, s.client))
	switch {
	case err != nil:
		return r, noToken(ctx, r, err)
	case strings.ContainsFunc(token.AccessToken, func(c rune) bool { return c <= ' ' || c > '~' }): // invalid in a header
		return r, fmt.Errorf("login server %q returned an invalid token", clean(r.Issuer))
	case token.Type() != "Bearer":
		return r, fmt.Errorf("login server %q returned a token of type %q, which aloud does not support",
			clean(r.Issuer), clean(token.TokenType))
	}
	r.Access, r.Issued, r.Expires, r.Scopes = token.AccessToken, time.Now(), token.Expiry, wanted
	if token.RefreshToken != "" {
		r.Refresh = token.RefreshToken
	}
	if scope, _ := token.Extra("scope").(string); scope != "" {
		r.Scopes = scopeList(scope)
	}
	return r, nil
}

// noToken returns the error of a failed token request. A login server refuses with status 400 or 401 (RFC 6749, 5.2),
// and GitHub with 200. After any other status the tokens may still be valid.
func noToken(ctx context.Context, r record, err error) error {
	refused, answered := errors.AsType[*oauth2.RetrieveError](err)
	switch {
	case !answered && errors.As(err, new(*url.Error)):
		return unreachable(ctx, r.Token, err)
	case !answered:
		return fmt.Errorf("login server %q returned no token: %s", clean(r.Issuer), clean(err.Error()))
	}
	switch status := refused.Response.StatusCode; {
	case status != http.StatusOK && status != http.StatusBadRequest && status != http.StatusUnauthorized:
		return fmt.Errorf("login server %q answered %d", clean(r.Issuer), status)
	case refused.ErrorCode == "":
		return &refusedError{code: fmt.Sprintf("the login server answered %d", status)}
	default:
		return &refusedError{refused.ErrorCode, refused.ErrorDescription}
	}
}
