package oauth

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"golang.org/x/oauth2"

	"github.com/aloudchat/aloud/internal/netaddr"
	"github.com/aloudchat/aloud/mcpclient"
	"github.com/aloudchat/aloud/mcpclient/conn"
)

var errTooLong = errors.New("the login timed out. Start again when you are ready")

// LogIn logs in with a browser and stores the tokens. The client credentials grant needs no browser.
func (s *Session) LogIn(ctx context.Context, browser mcpclient.Browser) error {
	limited, cancel := context.WithTimeoutCause(ctx, s.options.Patience, errTooLong)
	defer cancel()
	err := s.logIn(limited, browser)
	if err == nil || ctx.Err() != nil {
		return err
	}
	if limited.Err() != nil {
		err = errTooLong
	}
	if _, complete := errors.AsType[*conn.Error](err); complete {
		return err
	}
	return s.failed(err)
}

func (s *Session) logIn(ctx context.Context, browser mcpclient.Browser) error {
	if !netaddr.IsWeb(s.home) {
		return fmt.Errorf("invalid url %q", clean(s.home.Redacted()))
	}
	if _, err := s.store.read(); err != nil && s.store.dir != "" {
		return fmt.Errorf("cannot use %q: %w", s.store.path(), err)
	}
	before := s.reload()
	asked, refused, err := s.probe(ctx)
	if err != nil {
		return err
	}
	if s.options.Grant == ClientCredentials {
		return s.obtainAndKeep(ctx, func(ctx context.Context) (record, error) {
			return s.clientCredentials(ctx, before.Wanted)
		})
	}
	at, err := s.discover(ctx, asked)
	if errors.Is(err, errNoLoginServer) && !refused {
		return errors.New("it requires no login")
	}
	if errors.Is(err, errNoLoginServer) {
		return fmt.Errorf("%w. Set bearer_token_env_var or http_headers instead", err)
	}
	if err != nil {
		return err
	}
	back, err := listen(s.options.CallbackPort)
	if err != nil {
		return err
	}
	defer back.Close()
	scopes := s.loginScopes(at, asked, before)
	who, err := s.clientFor(ctx, at, back.address(), scopes)
	if err != nil {
		return err
	}
	return s.visit(ctx, browser, back, recordAt(at, who), at, scopes)
}

// probe sends a request without a token, unless the server refused one before, and returns the challenge.
func (s *Session) probe(ctx context.Context) (asked challenge, refused bool, err error) {
	if asked = s.lastAsked(); asked.bearer {
		return asked, true, nil
	}
	body := strings.NewReader(`{"jsonrpc":"2.0","id":1,"method":"ping"}`)
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, s.options.URL, body)
	if err != nil {
		return challenge{}, false, err
	}
	request.Header.Set("Content-Type", "application/json")
	request.Header.Set("Accept", "application/json, text/event-stream")
	stay := func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	probe := &http.Client{Transport: s.options.Base, CheckRedirect: stay, Timeout: requestLimit}
	response, err := probe.Do(request)
	if err != nil {
		return challenge{}, false, unreachable(ctx, s.options.URL, err)
	}
	response.Body.Close()
	asked = readChallenge(response.Header)
	s.note(asked)
	return s.lastAsked(), response.StatusCode == http.StatusUnauthorized, nil
}

// loginScopes returns the scopes to request: those wanted now, and those of the last login if the server wants more.
func (s *Session) loginScopes(at endpoint, asked challenge, before record) []string {
	scopes := s.scopesFor(at, asked)
	if sameIssuer(before.Issuer, at.meta.Issuer) && (len(before.Wanted) > 0 || asked.err == "insufficient_scope") {
		scopes = union(union(before.Scopes, scopes), before.Wanted)
	}
	if slices.Contains(at.meta.ScopesSupported, "offline_access") { // some servers need it for a refresh token
		scopes = union(scopes, []string{"offline_access"})
	}
	return scopes
}

// visit opens the page of the login server and exchanges the code of the redirect for tokens.
func (s *Session) visit(
	ctx context.Context, browser mcpclient.Browser, back *callback, r record, at endpoint, scopes []string,
) error {
	verifier := oauth2.GenerateVerifier()
	back.state, back.issuer = rand.Text(), at.meta.Issuer
	back.namesSelf = at.meta.AuthorizationResponseIssParameterSupported
	page := oauth2.Config{
		ClientID: r.Client.ID, RedirectURL: back.address(), Scopes: scopes,
		Endpoint: oauth2.Endpoint{AuthURL: at.meta.AuthorizationEndpoint},
	}
	resource := oauth2.SetAuthURLParam("resource", r.Resource)
	address := page.AuthCodeURL(back.state, oauth2.S256ChallengeOption(verifier), resource)
	u, err := url.Parse(address)
	if err != nil {
		return errors.New("invalid address of the login page")
	}
	if err := s.allow(ctx, u); err != nil {
		return err
	}
	defer back.serve()()
	secretTo := ""
	if r.Client.Method != byNothing && s.configures(r.Client) && s.boundTo() == "" {
		secretTo = at.meta.Issuer
	}
	if err := browser.Visit(address, secretTo); err != nil {
		return err
	}
	code, err := back.wait(ctx, browser)
	if err != nil {
		return err
	}
	return s.obtainAndKeep(ctx, func(ctx context.Context) (record, error) {
		return s.requestToken(ctx, r, url.Values{
			"grant_type": {"authorization_code"}, "code": {code},
			"redirect_uri": {back.address()}, "code_verifier": {verifier},
		}, scopes)
	})
}

// obtainAndKeep stores the tokens that get returns. It holds the lock of the login meanwhile.
func (s *Session) obtainAndKeep(ctx context.Context, get func(context.Context) (record, error)) error {
	unlock, err := s.store.lock(ctx, s.key)
	if err != nil {
		return err
	}
	defer unlock()
	r, err := get(ctx)
	if err != nil {
		return err
	}
	s.mu.Lock()
	s.asked = challenge{}
	s.mu.Unlock()
	if err := s.keep(ctx, r); err != nil {
		return fmt.Errorf("you are logged in only until aloud ends: %w", err)
	}
	return nil
}

// ErrLoggedOut is matched by the error of a logout without a login.
var ErrLoggedOut = errors.New("not logged in")

// LogOut deletes the tokens.
func (s *Session) LogOut(ctx context.Context) error {
	unlock, err := s.store.lock(ctx, s.key)
	if err != nil {
		return err
	}
	defer unlock()
	before := s.reload()
	s.mu.Lock()
	s.kept, s.asked = record{}, challenge{}
	s.mu.Unlock()
	switch err := s.store.change(ctx, func(all logins) { delete(all, s.key) }); {
	case err != nil:
		return fmt.Errorf("cannot delete the login to server %q: %w", s.options.Server, err)
	case before.Access == "" && before.Refresh == "":
		return fmt.Errorf("%w to server %q", ErrLoggedOut, s.options.Server)
	}
	return nil
}
