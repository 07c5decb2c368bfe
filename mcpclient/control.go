package mcpclient

import (
	"context"
	"fmt"
)

// Restart ends a server and starts it again, even if it has failed or is off. It waits until the server is ready, or
// returns the error. ctx limits the waiting.
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
			err = fmt.Errorf("cannot start server %q: %w", name, p.secrets.Error(p.failure))
		}
		return true
	})
	if ended != nil {
		return ended
	}
	return err
}

// SwitchServer turns a server on or off for this session, and returns at once. It does nothing if the server is on or
// off already.
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
		s.stopLocked(p, "was turned off")
		p.failure = nil
		s.tellLocked(p, ServerOff)
	}
	return nil
}

// LogIn logs in to a server over HTTP through the browser, and connects to it.
func (s *Set) LogIn(ctx context.Context, name string, browser Browser) error {
	s.mu.Lock()
	p, err := s.namedLocked(name)
	s.mu.Unlock()
	if err != nil {
		return err
	}
	if p.config.Login == nil {
		return fmt.Errorf("server %q does not support login. Set bearer_token_env_var or http_headers instead", name)
	}
	if err := p.config.Login.LogIn(ctx, browser); err != nil {
		return p.secrets.Error(withContext(err, "login to server %q failed: %w", name))
	}
	return s.Restart(ctx, name)
}

// LastWords returns the last lines that a ready server wrote to standard error. The board has those from when its state
// last changed.
func (s *Set) LastWords(name string) []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	p, err := s.namedLocked(name)
	if err != nil || p.conn == nil {
		return nil
	}
	return p.secrets.Texts(p.conn.Output())
}
