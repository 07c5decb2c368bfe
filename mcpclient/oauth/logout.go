package oauth

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"

	"github.com/aloudchat/aloud/mcpclient"
)

// ErrLoggedOut is matched by the error of a logout from where there is no login.
var ErrLoggedOut = errors.New("there is no login")

// LogOut forgets the login, and tells the authorization server when it wants to know. The error says what of it went wrong: what could be
// forgotten here is forgotten in any case.
func (s *Session) LogOut(ctx context.Context) error {
	unlock, err := s.options.Store.Lock(ctx, s.key)
	if err != nil {
		return err
	}
	defer unlock()
	r := s.reload(ctx)
	s.mu.Lock()
	s.kept, s.loaded, s.asked = record{}, true, challenge{}
	s.mu.Unlock()
	if err := s.options.Store.Delete(ctx, s.key); err != nil {
		return fmt.Errorf("the login to the server %q cannot be forgotten: %w", s.options.Server, err)
	}
	if r.Access == "" && r.Refresh == "" {
		return fmt.Errorf("%w to the server %q", ErrLoggedOut, s.options.Server)
	}
	if err := s.giveBack(ctx, r); err != nil {
		return &mcpclient.LoginError{Cause: err, Text: fmt.Sprintf("the login to the server %q is forgotten here, but the login server did not take the token back: %v",
			s.options.Server, err)}
	}
	return nil
}

// giveBack revokes the tokens. The refresh token goes first: with it go, at most servers, the others.
func (s *Session) giveBack(ctx context.Context, r record) error {
	if r.Revoke == "" {
		return nil
	}
	ctx, cancel := context.WithTimeout(ctx, requestLimit)
	defer cancel()
	for _, one := range []struct{ token, kind string }{{r.Refresh, "refresh_token"}, {r.Access, "access_token"}} {
		if one.token == "" {
			continue
		}
		_, status, err := s.post(ctx, r, r.Revoke, url.Values{"token": {one.token}, "token_type_hint": {one.kind}})
		if err != nil {
			return err
		}
		if status != http.StatusOK {
			return fmt.Errorf("it answered %d", status)
		}
	}
	return nil
}
