package servers

import (
	"context"
	"fmt"

	"github.com/aloudchat/aloud/mcpclient"
)

// Restart ends a server and starts it again, even if it has failed or is off. It waits until the server is ready, or
// returns the error. ctx limits the waiting.
func (s *Set) Restart(ctx context.Context, name string) error {
	var r *run
	return s.wait(ctx, func() (bool, error) {
		p, err := s.namedLocked(name)
		if err != nil {
			return false, err
		}
		if r == nil {
			s.stopLocked(p, "was restarted")
			s.startLocked(ctx, p)
			r = p.run
		}
		trying := p.run == r && r.trying
		if !trying && p.conn == nil && p.failure != nil {
			return false, fmt.Errorf("cannot start server %q: %w", name, p.secrets.Error(p.failure))
		}
		return !trying, nil
	})
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
	case on && p.state == mcpclient.ServerOff:
		s.startLocked(context.Background(), p)
	case !on && p.state != mcpclient.ServerOff:
		s.stopLocked(p, "was turned off")
		p.failure = nil
		s.tellLocked(p, mcpclient.ServerOff)
	}
	return nil
}

// LogIn logs in to a server over HTTP through the browser, and connects to it.
func (s *Set) LogIn(ctx context.Context, name string, browser mcpclient.Browser) error {
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
