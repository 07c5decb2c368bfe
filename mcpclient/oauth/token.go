package oauth

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"time"

	"golang.org/x/oauth2"
	"golang.org/x/oauth2/clientcredentials"

	"github.com/aloudchat/aloud/internal/sanitize"
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

// ended reports whether a login server refused a refresh token for good. Any other answer may be a fault of its own.
func ended(err error) bool {
	refused, ok := errors.AsType[*refusedError](err)
	return ok && (refused.code == "invalid_grant" || refused.code == "bad_refresh_token") // the latter is GitHub's
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

// noToken returns the error of a failed token request, with the answer. It matches refusedError if that is an error of
// OAuth: with status 400 or 401 (RFC 6749, 5.2), 403 like Auth0, or 200 like GitHub.
func noToken(ctx context.Context, r record, err error) error {
	got, answered := errors.AsType[*oauth2.RetrieveError](err)
	switch {
	case !answered && errors.As(err, new(*url.Error)):
		return unreachable(ctx, r.Token, err)
	case !answered:
		return fmt.Errorf("login server %q returned no token: %s", clean(r.Issuer), clean(err.Error()))
	}
	status := got.Response.StatusCode
	text := fmt.Sprintf("login server %q answered %d", clean(r.Issuer), status)
	if got.ErrorCode != "" && status < http.StatusInternalServerError {
		return fmt.Errorf("%s %w", text, &refusedError{got.ErrorCode, got.ErrorDescription})
	}
	if body := clean(string(got.Body)); body != "" {
		text += fmt.Sprintf(" %q", sanitize.Clip(body, 100))
	}
	return errors.New(text)
}
