package oauth

import (
	"context"
	"crypto/rand"
	"crypto/subtle"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"golang.org/x/oauth2"

	"github.com/aloudchat/aloud/mcpclient/conn"
)

var errTooLong = errors.New("the time to log in is over: start again when you are ready")

// LogIn logs in with a browser and keeps the tokens. The client credentials grant needs no browser. The error is one sentence.
func (s *Session) LogIn(ctx context.Context, person conn.Browser) error {
	limited, cancel := context.WithTimeoutCause(ctx, s.options.Patience, errTooLong)
	defer cancel()
	err := s.logIn(limited, person)
	if err == nil || ctx.Err() != nil {
		return err
	}
	if limited.Err() != nil {
		err = errTooLong
	}
	if _, said := errors.AsType[*conn.Error](err); said {
		return err
	}
	return s.failed(err)
}

func (s *Session) logIn(ctx context.Context, person conn.Browser) error {
	if s.home.Host == "" || s.home.Scheme != "http" && s.home.Scheme != "https" {
		return fmt.Errorf("its url %q is no address", clean(s.home.Redacted()))
	}
	before := s.reload()
	asked, refused, err := s.ask401(ctx)
	if err != nil {
		return err
	}
	if s.options.Grant == ClientCredentials {
		return s.obtainAndKeep(ctx, func(ctx context.Context) (record, error) { return s.clientCredentials(ctx, before.Wanted) })
	}
	at, err := s.discover(ctx, asked)
	if errors.Is(err, errNoLoginServer) && !refused {
		return errors.New("it asks for no login")
	}
	if err != nil {
		return err
	}
	back, err := listen(s.options.CallbackPort)
	if err != nil {
		return err
	}
	defer back.Close()
	who, err := s.clientFor(ctx, at, back.address())
	if err != nil {
		return err
	}
	return s.visit(ctx, person, back, recordAt(at, who), at, s.loginScopes(at, asked, before))
}

// ask401 asks the server what it wants, unless it has said so already.
func (s *Session) ask401(ctx context.Context) (asked challenge, refused bool, err error) {
	if asked = s.lastAsked(); asked.bearer {
		return asked, true, nil
	}
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, s.options.URL, strings.NewReader(`{"jsonrpc":"2.0","id":1,"method":"ping"}`))
	if err != nil {
		return challenge{}, false, fmt.Errorf("its url %q is no address", clean(s.home.Redacted()))
	}
	request.Header.Set("Content-Type", "application/json")
	request.Header.Set("Accept", "application/json, text/event-stream")
	probe := &http.Client{Transport: s.options.Base, CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }, Timeout: requestLimit}
	response, err := probe.Do(request)
	if err != nil {
		return challenge{}, false, unreachable(ctx, s.options.URL, err)
	}
	response.Body.Close()
	asked = readChallenge(response.Header)
	s.note(asked)
	return s.lastAsked(), response.StatusCode == http.StatusUnauthorized, nil
}

// loginScopes returns the scopes to ask for: those wanted now, and those of the last login if the server wants more.
func (s *Session) loginScopes(at place, asked challenge, before record) []string {
	scopes := s.scopesFor(at, asked)
	if sameIssuer(before.Issuer, at.meta.Issuer) && (len(before.Wanted) > 0 || asked.err == "insufficient_scope") {
		scopes = union(union(before.Scopes, scopes), before.Wanted)
	}
	if slices.Contains(at.meta.ScopesSupported, "offline_access") { // without it some servers give no refresh token
		scopes = union(scopes, []string{"offline_access"})
	}
	return scopes
}

// visit opens the page of the login server and exchanges the code that comes back for tokens.
func (s *Session) visit(ctx context.Context, person conn.Browser, back *callback, r record, at place, scopes []string) error {
	verifier := oauth2.GenerateVerifier()
	back.state, back.issuer, back.signed = rand.Text(), at.meta.Issuer, at.meta.AuthorizationResponseIssParameterSupported
	page := oauth2.Config{
		ClientID: r.Client.ID, RedirectURL: back.address(), Scopes: scopes,
		Endpoint: oauth2.Endpoint{AuthURL: at.meta.AuthorizationEndpoint},
	}
	address := page.AuthCodeURL(back.state, oauth2.S256ChallengeOption(verifier), oauth2.SetAuthURLParam("resource", r.Resource))
	u, err := url.Parse(address)
	if err != nil {
		return errors.New("the login server names no address of a page")
	}
	if err := s.allow(ctx, u); err != nil { // only pages are opened on your machine
		return err
	}
	defer back.serve()()
	secretTo := ""
	if r.Client.Method != byNothing && s.configures(r.Client) && s.boundTo() == "" {
		secretTo = at.meta.Issuer
	}
	if err := person.Visit(address, secretTo); err != nil {
		return err
	}
	code, err := back.wait(ctx, person)
	if err != nil {
		return err
	}
	return s.obtainAndKeep(ctx, func(ctx context.Context) (record, error) {
		return s.ask(ctx, r, url.Values{
			"grant_type": {"authorization_code"}, "code": {code}, "redirect_uri": {back.address()}, "code_verifier": {verifier},
		}, scopes)
	})
}

// obtainAndKeep keeps the tokens that get gives. No other aloud renews the old ones meanwhile.
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
		return fmt.Errorf("you are logged in until this program ends: %w", err)
	}
	return nil
}

// ErrLoggedOut is matched by the error of a logout from where there is no login.
var ErrLoggedOut = errors.New("there is no login")

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
		return fmt.Errorf("the login to the server %q cannot be forgotten: %w", s.options.Server, err)
	case before.Access == "" && before.Refresh == "":
		return fmt.Errorf("%w to the server %q", ErrLoggedOut, s.options.Server)
	}
	return nil
}

func same(a, b string) bool { return subtle.ConstantTimeCompare([]byte(a), []byte(b)) == 1 }
