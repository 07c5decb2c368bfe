package oauth

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"
)

// refusedError is what an authorization server says when it gives no token.
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

// final reports whether the same request would be refused again.
func final(err error) bool {
	refused, ok := errors.AsType[*refusedError](err)
	return ok && !slices.Contains([]string{"temporarily_unavailable", "server_error", "slow_down"}, refused.code)
}

// refuses reports whether a login server refuses with the status (RFC 6749, 5.2). With any other it may be overloaded or broken, or a proxy
// answers: the tokens may still be valid.
func refuses(status int) bool {
	return status == http.StatusBadRequest || status == http.StatusUnauthorized
}

// tokenAnswer is what the token endpoint gives.
type tokenAnswer struct {
	Access      string      `json:"access_token"`
	Kind        string      `json:"token_type"`
	Refresh     string      `json:"refresh_token"`
	Scope       *string     `json:"scope"`
	Seconds     json.Number `json:"expires_in"` // as a number, or as a text in the wild
	Error       string      `json:"error"`
	Description string      `json:"error_description"`
}

// ask sends a form to the token endpoint and puts what comes into the record. wanted are the scopes that were asked for.
func (s *Session) ask(ctx context.Context, r record, form url.Values, wanted []string) (record, error) {
	if r.Resource != "" {
		form.Set("resource", r.Resource)
	}
	text, status, err := s.post(ctx, r, r.Token, form)
	if err != nil {
		return r, err
	}
	var answer tokenAnswer
	if json.Unmarshal(text, &answer) != nil {
		answer = tokenAnswer{}
	}
	switch {
	case answer.Error != "" && (status == http.StatusOK || refuses(status)): // GitHub refuses with 200
		return r, &refusedError{answer.Error, answer.Description}
	case refuses(status):
		return r, &refusedError{fmt.Sprintf("the login server answered %d", status), ""}
	case status != http.StatusOK:
		return r, fmt.Errorf("the login server %q answered %d", clean(r.Issuer), status)
	case answer.Access == "" || !plain(answer.Access):
		return r, fmt.Errorf("the login server %q gave no token", clean(r.Issuer))
	case answer.Kind != "" && !strings.EqualFold(answer.Kind, "bearer"):
		return r, fmt.Errorf("the login server %q gave a token of the kind %q, which aloud cannot use", clean(r.Issuer), clean(answer.Kind))
	}
	r.Access, r.Issued, r.Expires = answer.Access, time.Now(), time.Time{}
	const longest = 10 * 365 * 24 * 3600
	if seconds, err := answer.Seconds.Float64(); err == nil && seconds > 0 {
		r.Expires = r.Issued.Add(time.Duration(min(seconds, longest) * float64(time.Second)))
	}
	if answer.Refresh != "" {
		r.Refresh = answer.Refresh
	}
	if r.Scopes = wanted; answer.Scope != nil && *answer.Scope != "" {
		r.Scopes = scopeList(*answer.Scope)
	}
	return r, nil
}

// plain reports whether a token can stand in a header.
func plain(token string) bool {
	return !strings.ContainsFunc(token, func(r rune) bool { return r <= ' ' || r > '~' })
}

// post sends a form with the client's credentials to an endpoint of the login server.
func (s *Session) post(ctx context.Context, r record, endpoint string, form url.Values) (text []byte, status int, err error) {
	header := http.Header{"Content-Type": {"application/x-www-form-urlencoded"}, "Accept": {"application/json"}}
	if err := s.authenticate(r.Client, r.Issuer, form, header); err != nil {
		return nil, 0, err
	}
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, endpoint, strings.NewReader(form.Encode()))
	if err != nil {
		return nil, 0, fmt.Errorf("the login server names %q, which is no address", clean(endpoint))
	}
	request.Header = header
	response, err := s.client.Do(request)
	if err != nil {
		return nil, 0, unreachable(ctx, endpoint, err)
	}
	defer response.Body.Close()
	if text, err = io.ReadAll(response.Body); err != nil {
		return nil, 0, unreachable(ctx, endpoint, err)
	}
	return text, response.StatusCode, nil
}
