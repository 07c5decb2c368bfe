package mcpclient

import (
	"context"
	"fmt"

	"github.com/aloudchat/aloud/mcpclient/conn"
)

// Restart ends a server and starts it again, also one that has failed or is switched off, and waits until it is ready or has failed: the error
// says why. ctx bounds the waiting.
func (s *Set) Restart(ctx context.Context, name string) (err error) {
	var p *peer
	var r *run
	ended := s.wait(ctx, func() bool {
		if p == nil {
			if p, err = s.namedLocked(name); err != nil {
				return true
			}
			s.stopLocked(p, "was restarted")
			s.startLocked(ctx, p)
			r = p.run
		}
		if p.run == r && r.trying {
			return false
		}
		if p.conn == nil && p.failure != nil {
			err = fmt.Errorf("the server %q did not start: %w", name, p.secrets.Error(p.failure))
		}
		return true
	})
	if ended != nil {
		return ended
	}
	return err
}

// SwitchServer switches a server on or off for as long as the set runs: enabled in the configuration is what lasts. It returns at once; one
// that is on already stays as it is.
func (s *Set) SwitchServer(name string, on bool) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	p, err := s.namedLocked(name)
	switch {
	case err != nil:
		return err
	case on && p.state == ServerOff:
		s.startLocked(context.Background(), p)
	case !on && p.state != ServerOff:
		s.stopLocked(p, "was switched off")
		p.failure = nil
		s.tellLocked(p, ServerOff)
	}
	return nil
}

// LogIn logs in to a server over HTTP through the browser, and connects it.
func (s *Set) LogIn(ctx context.Context, name string, person conn.Browser) error {
	s.mu.Lock()
	p, err := s.namedLocked(name)
	s.mu.Unlock()
	if err != nil {
		return err
	}
	if p.config.Login == nil {
		return fmt.Errorf("the server %q has no login: for one over HTTP set bearer_token_env_var or http_headers in the configuration", name)
	}
	if err := p.config.Login.LogIn(ctx, person); err != nil {
		return p.secrets.Error(aboutLogin(err, "the login at %q did not work: %w", name))
	}
	return s.Restart(ctx, name)
}

// LastWords returns the last lines that a ready server wrote to standard error. The board has them as of the last change of its state.
func (s *Set) LastWords(name string) []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	p := s.named(name)
	if p == nil || p.conn == nil {
		return nil
	}
	return p.secrets.Texts(p.conn.Output())
}
