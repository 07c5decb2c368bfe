package mcpclient

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"syscall"
	"time"

	"github.com/aloudchat/aloud/mcpclient/fault"
	"github.com/aloudchat/aloud/mcpclient/login"
	"github.com/aloudchat/aloud/mcpclient/stdio"
	"github.com/aloudchat/aloud/mcpclient/web"
	"github.com/aloudchat/aloud/status"
)

// relistPause bounds the work a server can make us do by announcing new tools without end.
const relistPause = 200 * time.Millisecond

// watch looks after a connection until life ends.
func (s *Set) watch(life context.Context, p *peer, c *connection) {
	for {
		select {
		case <-life.Done():
			return
		case <-c.lost:
			s.lose(life, p, c, c.lossReason())
			return
		case <-c.wire.listChanged:
			s.relist(life, p, c)
			select {
			case <-life.Done():
				return
			case <-time.After(relistPause):
			}
		}
	}
}

// relist fetches a server's tools again. When that goes wrong the old ones stay.
func (s *Set) relist(ctx context.Context, p *peer, c *connection) {
	ctx, cancel := context.WithTimeout(ctx, p.config.StartupTimeout)
	defer cancel()
	tools, remarks, err := c.list(ctx, p.config)
	if err != nil {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if p.conn != c {
		return
	}
	c.remarks = slices.Concat(c.remarks[:c.about], remarks)
	p.tools = s.names.name(p.secrets.hideInTools(tools))
	s.tellLocked(p, status.ServerReady)
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

var errStopped = errors.New("somebody ended the connection")

// wentWrong says why an errand brought nothing. When that is because the server is gone, it is given up here, and made again.
func (s *Set) wentWrong(ctx context.Context, p *peer, c *connection, e errand, err error) error {
	if p.config.URL != "" && brokeOff(err) {
		err = cmp.Or(c.gone(ctx, p.config), err)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	name := p.config.Name
	switch {
	case c.why != "":
		return fmt.Errorf("the server %q %s %s", name, c.why, e.meanwhile)
	case c.isLost() && (c.process == nil || errors.Is(err, stdio.ErrGone)): // not where an answer came just before the end
		err = c.lossReason()
		s.loseLocked(ctx, p, c, err)
		return fmt.Errorf("the server %q died %s (%w) and %s", name, e.meanwhile, err, p.prospect())
	case errors.Is(err, stdio.ErrGone) || networkRefuses(err):
		s.loseLocked(ctx, p, c, err)
		return fmt.Errorf("the server %q is gone (%w) and %s", name, err, p.prospect())
	case errors.Is(err, login.ErrNeeded):
		s.loseLocked(ctx, p, c, err)
		return aboutLogin(err, "the server %q wants a login first: %w", name)
	}
	return aboutLogin(err, "the server %q gave no "+e.thing+": %w", name)
}

// brokeOff tells of an answer over HTTP that ended in the middle, or did not begin: the server may have died, or only the way to it broke.
func brokeOff(err error) bool {
	return errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, web.ErrTooEarly) ||
		errors.Is(err, syscall.ECONNRESET) || errors.Is(err, syscall.EPIPE)
}

// goneTime bounds the looking for a server that may be gone.
const goneTime = 2 * time.Second

// gone asks a server over HTTP anything, and returns why nobody is there; nil: somebody is.
func (c *connection) gone(ctx context.Context, config Server) error {
	ctx, cancel := context.WithTimeout(ctx, goneTime)
	defer cancel()
	for range 3 { // a connection that was kept open may break off, too, before a new one is refused
		_, _, err := c.list(ctx, config)
		switch {
		case networkRefuses(err):
			return fault.Of(err)
		case !brokeOff(err):
			return nil
		}
	}
	return nil
}

// aboutLogin puts words before an error of a login, unless it is whole as it is. The format takes the server and the error.
func aboutLogin(err error, format, server string) error {
	if whole, ok := errors.AsType[*login.Error](err); ok {
		return whole
	}
	return fmt.Errorf(format, server, err)
}

// prospect says what becomes of a server that was lost. s.mu is held.
func (p *peer) prospect() string {
	switch {
	case p.state == status.ServerReady:
		return "is running again"
	case p.state == status.ServerFailed:
		return "was given up after " + p.again.words()
	case p.config.URL != "":
		return "is being connected again"
	}
	return "is being started again"
}
