package mcpclient

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/aloudchat/aloud/mcpclient/conn"
	"github.com/aloudchat/aloud/mcpclient/stdio"
)

// attempt is one start of a server. What it brings counts only while it is the server's own: a restart takes it away.
type attempt struct {
	abort context.CancelFunc
	over  chan struct{} // closed when it is over
}

var errClosed = errors.New("the servers have been closed")

// beginLocked begins to connect a server that is not connected. s.mu is held.
func (s *Set) beginLocked(ctx context.Context, p *peer) {
	ctx, abort := context.WithCancel(ctx)
	a := &attempt{abort: abort, over: make(chan struct{})}
	p.attempt = a
	ended := p.ended
	s.running.Go(func() {
		defer close(a.over)
		defer abort() // releases the context; a connection has a life of its own
		s.start(ctx, p, a, ended)
	})
}

// start connects a server, once what it had before has ended and there is a slot for it.
func (s *Set) start(ctx context.Context, p *peer, a *attempt, ended <-chan struct{}) {
	if ended != nil {
		<-ended // it was told to end, so this takes no longer than ending does
	}
	leave, err := s.enter(ctx, p.config)
	if err != nil {
		s.failed(ctx, p, a, startFailure(ctx, p.config, err), 0)
		return
	}
	defer leave()
	began := time.Now()
	ctx, cancel := context.WithTimeout(ctx, p.config.StartupTimeout)
	defer cancel()

	life, end := context.WithCancel(context.WithoutCancel(ctx))
	release := context.AfterFunc(ctx, end)
	l, found, err := s.dial(ctx, life, p)
	if err == nil && !release() {
		l.Close()
		err = ctx.Err()
	}
	if err != nil {
		end()
		s.failed(ctx, p, a, startFailure(ctx, p.config, err), time.Since(began))
		return
	}
	c := &connection{Conn: l, end: end}
	if s.connected(p, a, c, found, time.Since(began)) {
		s.running.Go(func() { s.run(life, p, c) })
	} else {
		c.Close() // it was never published
	}
}

// dial connects to a server, and lists its tools. ctx bounds that, life what goes on after.
func (s *Set) dial(ctx, life context.Context, p *peer) (*conn.Conn, listing, error) {
	l, err := s.connect(ctx, life, p.config, s.answerer(p))
	if err != nil {
		return nil, listing{}, err
	}
	found, err := list(ctx, l)
	if err != nil {
		l.Close()
	}
	return l, found, err
}

// slotTime is how long a server may keep others from starting. The work of a start is over by then; one that still says nothing only waits.
const slotTime = 2 * time.Second

// enter waits until servers may start, and for a slot; leave gives it back. A server that runs elsewhere needs none.
func (s *Set) enter(ctx context.Context, config Server) (leave func(), err error) {
	if s.hold != nil {
		select {
		case <-s.hold:
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
	if config.URL != "" {
		return func() {}, ctx.Err()
	}
	select {
	case s.slots <- struct{}{}:
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	free := sync.OnceFunc(func() { <-s.slots })
	early := time.AfterFunc(slotTime, free)
	return func() {
		early.Stop()
		free()
	}, nil
}

// connected records a start that succeeded, unless a restart replaced it meanwhile. The board is updated before waiting callers continue.
func (s *Set) connected(p *peer, a *attempt, c *connection, found listing, took time.Duration) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if p.attempt != a {
		return false
	}
	p.attempt, p.conn, p.failure, p.took = nil, c, nil, took
	p.again.connected()
	s.listedLocked(p, found)
	s.settleLocked(p)
	return true
}

// failed records a start that went wrong.
func (s *Set) failed(ctx context.Context, p *peer, a *attempt, failure error, took time.Duration) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if p.attempt != a {
		return
	}
	p.attempt, p.failure, p.took = nil, failure, took
	s.recoverLocked(ctx, p)
	s.settleLocked(p)
}

// settleLocked notes that a start of a server is over, the first one most likely. s.mu is held.
func (s *Set) settleLocked(p *peer) {
	p.settled = true
	s.announceLocked()
}

// endLocked ends what there is of a server: its connection, the start under way, and the waiting for another one. With a reason calls that
// run end, and say it; without one they find out themselves. s.mu is held; the ending goes on, and the next start waits for it.
func (s *Set) endLocked(p *peer, why string) {
	p.again.cancel()
	a, c, before := p.attempt, p.conn, p.ended
	if a == nil && c == nil {
		return
	}
	p.attempt, p.conn = nil, nil
	if a != nil {
		a.abort()
	}
	if c != nil && why != "" {
		c.why = why
		c.Stop()
	}
	ended := make(chan struct{})
	p.ended = ended
	s.running.Go(func() {
		defer close(ended)
		if before != nil {
			<-before
		}
		if a != nil {
			<-a.over
		}
		if c != nil {
			c.Close()
		}
	})
}

// connection returns the connection to a server. A lost one is made again, once for all waiting callers.
func (s *Set) connection(ctx context.Context, p *peer) (*connection, error) {
	for tried := false; ; tried = true {
		c, over, err := s.connectionNow(ctx, p, tried)
		if c != nil || err != nil {
			return c, err
		}
		select {
		case <-over:
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
}

// connectionNow returns the connection, or, when there is none, the end of the attempt to make one: it is begun unless one was tried already.
func (s *Set) connectionNow(ctx context.Context, p *peer, tried bool) (c *connection, over <-chan struct{}, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if p.conn != nil {
		if lost := p.conn.Err(); lost != nil {
			s.loseLocked(ctx, p, p.conn, lost) // Run has not noticed yet
		}
	}
	switch name := p.config.Name; {
	case s.closed:
		return nil, nil, errClosed
	case p.gone != "":
		return nil, nil, fmt.Errorf("the server %q %s before it could be asked", name, p.gone)
	case p.off:
		return nil, nil, fmt.Errorf("the server %q is switched off", name)
	case p.conn != nil:
		return p.conn, nil, nil
	case p.attempt != nil:
	case tried:
		return nil, nil, aboutLogin(cmp.Or(p.secrets.Error(p.failure), errClosed), "the server %q is gone and could not be started again: %w", name)
	default:
		p.again.cancel()
		s.beginLocked(context.WithoutCancel(ctx), p) // others may wait for it too
		s.tellLocked(p, p.again.state())
	}
	return nil, p.attempt.over, nil
}

// startFailure says in one sentence why a start went wrong.
func startFailure(ctx context.Context, config Server, err error) error {
	words := conn.Output(err)
	switch {
	case cutShort(err) && errors.Is(ctx.Err(), context.DeadlineExceeded):
		err = fmt.Errorf("was not ready within %v: startup_timeout_sec gives it longer", config.StartupTimeout)
		if slices.ContainsFunc(words, func(line string) bool { return strings.HasPrefix(line, "stdout: ") }) {
			err = fmt.Errorf("was not ready within %v, and what it writes to standard output is not MCP: is the command a server?", config.StartupTimeout)
		}
	case errors.Is(err, context.Canceled):
		err = errors.New("was stopped while it started")
	case errors.Is(err, stdio.ErrGone):
		err = fmt.Errorf("%w before it was ready", err)
	}
	return conn.WithOutput(err, words)
}

// cutShort reports whether a context ended the work: that of the start, or the life of its connection, which ends when a start takes too long.
func cutShort(err error) bool {
	return errors.Is(err, context.DeadlineExceeded) || errors.Is(err, context.Canceled)
}
