package mcpclient

import (
	"context"
	"fmt"

	"github.com/aloudchat/aloud/mcpclient/conn"
)

// Restart ends a server and starts it again, also one that has failed or is switched off, and waits until that has gone well or wrong: the
// error says why. ctx bounds the starting.
func (s *Set) Restart(ctx context.Context, name string) error {
	p, over, err := s.restart(ctx, name)
	if err != nil {
		return err
	}
	select {
	case <-over:
	case <-ctx.Done():
		return ctx.Err()
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if p.conn == nil && p.failure != nil {
		return fmt.Errorf("the server %q did not start: %w", name, p.secrets.Error(p.failure))
	}
	return nil
}

func (s *Set) restart(ctx context.Context, name string) (p *peer, over <-chan struct{}, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if p, err = s.namedLocked(name); err != nil {
		return nil, nil, err
	}
	s.freshLocked(ctx, p, "was restarted")
	return p, p.attempt.over, nil
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
	case on && p.off:
		s.freshLocked(context.Background(), p, "")
	case !on && !p.off:
		p.off, p.failure = true, nil
		s.endLocked(p, "was switched off")
		s.tellLocked(p, ServerOff)
		s.announceLocked()
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
	if p.config.URL == "" {
		return fmt.Errorf("the server %q runs on this machine and takes no login", name)
	}
	if p.config.Login == nil {
		return fmt.Errorf("the server %q has no login: bearer_token_env_var or http_headers in the configuration let us in", name)
	}
	if err := p.config.Login.LogIn(ctx, person); err != nil {
		return p.secrets.Error(aboutLogin(err, "the login at %q did not work: %w", name))
	}
	return s.Restart(ctx, name)
}

// LastWords is what a server that is ready has written for people until now. The board has only what it had written when its state last changed.
func (s *Set) LastWords(name string) []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	p := s.named(name)
	if p == nil || p.conn == nil {
		return nil
	}
	return p.secrets.Texts(p.conn.Output())
}

// namedLocked finds a server by its name. s.mu is held.
func (s *Set) namedLocked(name string) (*peer, error) {
	p := s.named(name)
	switch {
	case s.closed:
		return nil, errClosed
	case p == nil:
		return nil, fmt.Errorf("%w %q", ErrNoServer, name)
	}
	return p, nil
}

// freshLocked starts a server as if for the first time. s.mu is held.
func (s *Set) freshLocked(ctx context.Context, p *peer, why string) {
	s.endLocked(p, why)
	p.off, p.failure, p.again = false, nil, recovery{}
	s.tellLocked(p, ServerStarting)
	s.beginLocked(ctx, p)
	s.announceLocked()
}
