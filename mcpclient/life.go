package mcpclient

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/aloudchat/aloud/mcpclient/conn"
	"github.com/aloudchat/aloud/mcpclient/stdio"
)

// wellAfter is how long a server must have been ready for it to be started again by itself when it is lost.
const wellAfter = time.Minute

var errClosed = errors.New("the servers have been closed")

// run is a server from when it is started until it is stopped: by you, a restart, another configuration, or the end of the set. Its goroutine
// connects to the server, listens to it, and connects again when that is wanted. Set.mu guards all but stop and over.
type run struct {
	stop context.CancelFunc
	over chan struct{} // closed when the server has ended

	trying bool      // an attempt to connect is under way, or wanted
	ready  time.Time // when it last became so
}

// connection is the connection to a server as long as its peer has it.
type connection struct {
	*conn.Conn
	drop context.CancelFunc // ends listening, and then the connection
	why  string             // what was done to the server while it was up: "was restarted". Set.mu guards it
}

// startLocked starts a server that does not run, when what it had before has ended. s.mu is held.
func (s *Set) startLocked(ctx context.Context, p *peer) {
	ctx, stop := context.WithCancel(context.WithoutCancel(ctx))
	r := &run{stop: stop, over: make(chan struct{}), trying: true}
	before := p.ended
	p.run, p.ended, p.failure = r, r.over, nil
	s.tellLocked(p, ServerStarting)
	s.running.Go(func() {
		defer close(r.over)
		defer stop()
		if before != nil {
			<-before // it was told to end
		}
		if s.hold != nil {
			select {
			case <-s.hold:
			case <-ctx.Done():
				return
			}
		}
		for s.connect(ctx, p, r) && s.wait(ctx, func() bool { return r.trying }) == nil {
		}
	})
}

// stopLocked ends a server. Its calls end, and say why. s.mu is held; the ending goes on.
func (s *Set) stopLocked(p *peer, why string) {
	if p.run == nil {
		return
	}
	p.run.stop()
	if p.conn != nil {
		p.conn.why = why
		p.conn.Stop()
	}
	p.run, p.conn = nil, nil
}

// connect makes one attempt to connect to a server, and listens until the connection is lost. It reports false when the server was stopped.
func (s *Set) connect(ctx context.Context, p *peer, r *run) bool {
	began := time.Now()
	life, end := context.WithCancel(context.WithoutCancel(ctx))
	defer end()
	l, tools, odd, err := s.dial(ctx, life, end, p)
	if err != nil {
		return s.failed(p, r, err, time.Since(began))
	}
	listening, drop := context.WithCancel(ctx)
	defer drop()
	c := &connection{Conn: l, drop: drop}
	defer c.Close()
	if !s.connected(p, r, c, time.Since(began), tools, odd) {
		return false
	}
	if gone := c.Run(listening, func(news conn.News) { s.hear(listening, p, c, news) }); gone != nil {
		s.lose(p, c, gone)
	}
	return true
}

// dial connects to a server within its time, and lists its tools. life is that of the connection, and end ends it.
func (s *Set) dial(ctx, life context.Context, end context.CancelFunc, p *peer) (l *conn.Conn, tools []Tool, odd []string, err error) {
	ctx, cancel := context.WithTimeout(ctx, p.config.StartupTimeout)
	defer cancel()
	release := context.AfterFunc(ctx, end)
	l, err = s.dialer(ctx, life, p.config, s.handler(p))
	if err == nil {
		if tools, odd, err = l.Tools(ctx); err == nil && !release() {
			err = ctx.Err()
		}
		if err != nil {
			l.Close()
		}
	}
	if err != nil {
		err = startFailure(ctx, p.config, err)
	}
	return l, tools, odd, err
}

// startFailure says in one sentence why a start went wrong.
func startFailure(ctx context.Context, config Server, err error) error {
	words := conn.Output(err)
	ended := errors.Is(err, context.DeadlineExceeded) || errors.Is(err, context.Canceled)
	switch {
	case ended && errors.Is(ctx.Err(), context.DeadlineExceeded):
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

// connected records a start that succeeded. It reports false when the server was stopped meanwhile.
func (s *Set) connected(p *peer, r *run, c *connection, took time.Duration, tools []Tool, odd []string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if p.run != r {
		return false
	}
	p.conn, p.failure, p.took = c, nil, took
	p.attempts++
	r.trying, r.ready = false, time.Now()
	s.listedLocked(p, tools, odd)
	return true
}

// failed records a start that went wrong. It reports false when the server was stopped meanwhile.
func (s *Set) failed(p *peer, r *run, failure error, took time.Duration) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if p.run != r {
		return false
	}
	p.failure, p.took = failure, took
	p.attempts++
	r.trying = false
	s.unconnectedLocked(p)
	return true
}

// lose gives a connection up, unless that is known already, and has it made again.
func (s *Set) lose(p *peer, c *connection, reason error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.loseLocked(p, c, reason)
}

// loseLocked is lose with s.mu held.
func (s *Set) loseLocked(p *peer, c *connection, reason error) {
	if p.conn != c {
		return
	}
	c.drop()
	p.conn, p.failure = nil, reason
	s.unconnectedLocked(p)
}

// unconnectedLocked puts a server without a connection into its state. One that was well is started again at once, every other when it is needed.
// s.mu is held.
func (s *Set) unconnectedLocked(p *peer) {
	r := p.run
	wasWell := !r.ready.IsZero() && time.Since(r.ready) >= wellAfter
	r.ready = time.Time{}
	switch {
	case errors.Is(p.failure, conn.ErrLoginNeeded):
		s.tellLocked(p, ServerNeedsLogin)
	case wasWell:
		s.tryLocked(p)
	default:
		s.tellLocked(p, ServerFailed)
	}
}

// tryLocked has an attempt to connect to a server made now, if none is under way. s.mu is held.
func (s *Set) tryLocked(p *peer) {
	if !p.run.trying {
		p.run.trying = true
		s.tellLocked(p, ServerStarting)
	}
}

// wait waits until something is done, which it asks, with s.mu held, whenever something has changed.
func (s *Set) wait(ctx context.Context, done func() bool) error {
	for {
		s.mu.Lock()
		over := done()
		changed := s.board.next()
		s.mu.Unlock()
		if over {
			return nil
		}
		select {
		case <-changed:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// connection returns the connection to a server. A lost one is made again, once for all waiting callers.
func (s *Set) connection(ctx context.Context, p *peer) (c *connection, err error) {
	s.mu.Lock()
	before := p.attempts
	s.mu.Unlock()
	ended := s.wait(ctx, func() bool {
		c, err = s.connectionLocked(p, p.attempts > before)
		return c != nil || err != nil
	})
	if ended != nil {
		return nil, ended
	}
	return c, err
}

// connectionLocked returns the connection. If there is none an attempt to make one is begun, unless one was made already. s.mu is held.
func (s *Set) connectionLocked(p *peer, tried bool) (*connection, error) {
	if p.conn != nil {
		if lost := p.conn.Err(); lost != nil {
			s.loseLocked(p, p.conn, lost) // Run has not noticed yet
		}
	}
	switch name := p.config.Name; {
	case s.closed:
		return nil, errClosed
	case p.state == ServerOff:
		return nil, fmt.Errorf("the server %q is switched off", name)
	case p.conn != nil:
		return p.conn, nil
	case tried && !p.run.trying:
		return nil, aboutLogin(p.secrets.Error(p.failure), "the server %q is gone and could not be started again: %w", name)
	}
	s.tryLocked(p)
	return nil, nil //nolint:nilnil // it is being made
}

// wentWrong says why an operation failed. When that is because the server is gone, its connection is given up here.
func (s *Set) wentWrong(p *peer, c *connection, o operation, err error) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	name, lost := p.config.Name, c.Err()
	switch {
	case c.why != "":
		return fmt.Errorf("the server %q %s %s", name, c.why, o.meanwhile)
	case errors.Is(err, stdio.ErrGone) || lost != nil && p.config.Command == "": // not where an answer came just before the end
		reason := cmp.Or(lost, err)
		s.loseLocked(p, c, reason)
		return fmt.Errorf("the server %q died %s (%w) and is started again when it is needed", name, o.meanwhile, reason)
	case errors.Is(err, conn.ErrLoginNeeded):
		s.loseLocked(p, c, err)
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
