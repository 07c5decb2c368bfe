package oauth

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"

	"github.com/aloudchat/aloud/mcpclient/conn"
)

// ErrLoggedOut is matched by the error of a logout from where there is no login.
var ErrLoggedOut = errors.New("there is no login")

// LogOut revokes the tokens, if the login server supports that, and deletes them here in any case.
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
	refused := s.revoke(ctx, r)                                                       // before the tokens are deleted: otherwise they stay valid if this fails
	deleting, cancel := context.WithTimeout(context.WithoutCancel(ctx), requestLimit) // also if ctx has ended
	defer cancel()
	switch err := s.options.Store.Delete(deleting, s.key); {
	case err != nil:
		return fmt.Errorf("the login to the server %q cannot be forgotten: %w", s.options.Server, err)
	case r.Access == "" && r.Refresh == "":
		return fmt.Errorf("%w to the server %q", ErrLoggedOut, s.options.Server)
	case refused != nil:
		return &conn.Error{Kind: conn.ErrLogin, Cause: refused, Text: fmt.Sprintf("the login to the server %q is forgotten here, but the login server did not take the token back: %v",
			s.options.Server, refused)}
	}
	return nil
}

// revoke revokes the tokens. The refresh token goes first: with it go, at most servers, the others.
func (s *Session) revoke(ctx context.Context, r record) error {
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
