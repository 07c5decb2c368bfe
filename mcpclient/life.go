package mcpclient

import (
	"context"
	"errors"
	"fmt"

	"github.com/aloudchat/aloud/mcpclient/conn"
	"github.com/aloudchat/aloud/mcpclient/stdio"
)

// run hears what a server tells until life ends, and gives its connection up when it is gone.
func (s *Set) run(life context.Context, p *peer, c *connection) {
	gone := c.Run(life, p.config.StartupTimeout, func(news conn.News) { s.hear(life, p, c, news) })
	if gone != nil {
		s.lose(life, p, c, gone)
	}
}

// relist fetches a server's tools again. When that goes wrong the old ones stay.
func (s *Set) relist(ctx context.Context, p *peer, c *connection) {
	ctx, cancel := context.WithTimeout(ctx, p.config.StartupTimeout)
	defer cancel()
	found, err := list(ctx, c.Conn)
	if err != nil {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if p.conn != c {
		return
	}
	s.listedLocked(p, found)
}

// lose is loseLocked.
func (s *Set) lose(ctx context.Context, p *peer, c *connection, reason error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.loseLocked(ctx, p, c, reason)
}

// loseLocked gives a connection up, unless that is known already, and has it made again. s.mu is held.
func (s *Set) loseLocked(ctx context.Context, p *peer, c *connection, reason error) {
	if p.conn != c || s.closed {
		return
	}
	s.endLocked(p, "")
	p.failure = reason
	p.again.lost()
	s.recoverLocked(ctx, p)
}

// wentWrong says why an operation failed. When that is because the server is gone, it is given up here, and made again.
func (s *Set) wentWrong(ctx context.Context, p *peer, c *connection, o operation, err error) error {
	err = c.Diagnose(ctx, err)
	s.mu.Lock()
	defer s.mu.Unlock()
	name, lost := p.config.Name, c.Err()
	switch {
	case c.why != "":
		return fmt.Errorf("the server %q %s %s", name, c.why, o.meanwhile)
	case lost != nil && (p.config.Command == "" || errors.Is(err, stdio.ErrGone)): // not where an answer came just before the end
		err = lost
		s.loseLocked(ctx, p, c, err)
		return fmt.Errorf("the server %q died %s (%w) and %s", name, o.meanwhile, err, p.prospect())
	case errors.Is(err, stdio.ErrGone) || conn.Unreachable(err):
		s.loseLocked(ctx, p, c, err)
		return fmt.Errorf("the server %q is gone (%w) and %s", name, err, p.prospect())
	case errors.Is(err, conn.ErrLoginNeeded):
		s.loseLocked(ctx, p, c, err)
		return aboutLogin(err, "the server %q wants a login first: %w", name)
	}
	return aboutLogin(err, "the server %q gave no "+o.thing+": %w", name)
}

// aboutLogin puts words before an error, unless it is about a login, which is whole as it is. The format takes the server and the error.
func aboutLogin(err error, format, server string) error {
	if whole, ok := conn.LoginError(err); ok {
		return whole
	}
	return fmt.Errorf(format, server, err)
}

// prospect says what becomes of a server that was lost. s.mu is held.
func (p *peer) prospect() string {
	switch {
	case p.state == ServerReady:
		return "is running again"
	case p.state == ServerFailed:
		return "was given up after " + p.again.words()
	case p.config.URL != "":
		return "is being connected again"
	}
	return "is being started again"
}
