package servers

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/aloudchat/aloud/internal/sanitize"
	"github.com/aloudchat/aloud/mcpclient"
	"github.com/aloudchat/aloud/mcpclient/conn"
	"github.com/aloudchat/aloud/mcpclient/jsonrpc"
)

// wellAfter is how long a server must have been ready before it is restarted at once when its connection is lost.
const wellAfter = time.Minute

var errClosed = errors.New("the servers are closed")

// run is the time from when a server is started until it is stopped by you, a restart or the end of the set. Its
// goroutine connects to the server, and connects again when necessary. Set.mu guards trying, late and ready.
type run struct {
	stop context.CancelFunc
	over chan struct{} // closed when the server has ended

	trying bool      // connecting, or about to
	late   bool      // it has been connecting for so long that it may be installing
	ready  time.Time // when it last connected
}

// connection is the connection of a peer.
type connection struct {
	*conn.Conn
	drop context.CancelFunc // closes the connection
	// Set.mu guards the fields below.
	why      string // why it was stopped: "was restarted"
	changes  int    // Conn.ToolChanges before the tools were last listed
	unlisted error  // why the tools could not be listed again; nil after a success
}

// startLocked starts a server, after its last run has ended. s.mu is held.
func (s *Set) startLocked(ctx context.Context, p *peer) {
	ctx, stop := context.WithCancel(context.WithoutCancel(ctx))
	r := &run{stop: stop, over: make(chan struct{}), trying: true}
	before := p.ended
	p.run, p.ended, p.failure = r, r.over, nil
	s.tellLocked(p, mcpclient.ServerStarting)
	s.running.Go(func() {
		defer close(r.over)
		defer stop()
		if before != nil {
			<-before
		}
		if s.options.Hold != nil {
			select {
			case <-s.options.Hold:
			case <-ctx.Done():
				return
			}
		}
		for s.connect(ctx, p, r) && s.wait(ctx, func() (bool, error) { return r.trying, nil }) == nil {
		}
	})
}

// stopLocked stops a server, and ends its calls with an error that contains why. It does not wait. s.mu is held.
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

// connect connects to a server once, and serves the connection until it is lost. It reports false if the server was
// stopped.
func (s *Set) connect(ctx context.Context, p *peer, r *run) bool {
	began := time.Now()
	c, tools, odd, err := s.dialAndList(ctx, p)
	took := time.Since(began)
	if err != nil {
		return s.attempted(p, r, took, func() {
			p.failure = err
			s.unconnectedLocked(p)
		})
	}
	listening, drop := context.WithCancel(ctx)
	defer drop()
	c.drop = drop
	defer c.Close()
	started := s.attempted(p, r, took, func() {
		p.conn, p.failure, r.ready = c, nil, time.Now()
		s.listedLocked(p, tools, odd)
	})
	if !started {
		return false
	}
	if gone := c.Run(listening, func(news conn.News) { s.refresh(listening, p, c, news) }); gone != nil {
		s.lose(p, c, gone)
	}
	return true
}

// dialAndList connects to a server and lists its tools, within its timeout.
func (s *Set) dialAndList(
	ctx context.Context, p *peer,
) (c *connection, tools []mcpclient.Tool, odd []string, err error) {
	ctx, heard, cancel := s.limitStart(ctx, p)
	defer cancel()
	raw, err := s.options.dial(ctx, p.config, s.handler(p), heard)
	if err == nil {
		heard()
		c = &connection{Conn: raw, changes: raw.ToolChanges()}
		if tools, odd, err = c.Tools(ctx); err != nil {
			c.Close()
		}
	}
	if err != nil {
		err = startFailure(ctx, err)
	}
	return c, tools, odd, err
}

// address matches an address on this machine. Servers for HTTP print theirs when they start, others those they use.
var address = sanitize.Pattern(`https?://(?:localhost|127\.0\.0\.1|0\.0\.0\.0|\[::1?\]):\d+[\w/-]*`)

// startFailure returns why a start failed.
func startFailure(ctx context.Context, err error) error {
	output := conn.Output(err)
	late, isLate := errors.AsType[notReadyError](context.Cause(ctx))
	ended := errors.Is(err, context.DeadlineExceeded) || errors.Is(err, context.Canceled)
	switch {
	case ended && isLate:
		err = fmt.Errorf("%w. startup_timeout_sec sets the limit", late)
		if slices.ContainsFunc(output, func(line string) bool { return strings.HasPrefix(line, "stdout: ") }) {
			err = fmt.Errorf("%w. Its standard output is not MCP. Check the command", late)
		} else if at := address().FindString(strings.Join(output, "\n")); at != "" {
			err = fmt.Errorf("%w. Its output has the address %q. If it listens there, start it for stdio, or run it yourself "+
				"and add that address", late, at)
		}
	case errors.Is(err, context.Canceled):
		err = errors.New("stopped while starting")
	case errors.Is(err, jsonrpc.ErrGone):
		err = fmt.Errorf("%w before it was ready", err)
	}
	return conn.WithOutput(err, output)
}

// attempted records an attempt to connect, and calls result with s.mu held. It reports false, and does nothing, if the
// server was stopped meanwhile.
func (s *Set) attempted(p *peer, r *run, took time.Duration, result func()) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if p.run != r {
		return false
	}
	p.took, r.trying, r.late = took, false, false
	p.attempts++
	result()
	return true
}

// lose records that a connection was lost, unless that is known.
func (s *Set) lose(p *peer, c *connection, reason error) {
	s.withConnection(p, c, func() { s.loseLocked(p, c, reason) })
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

// unconnectedLocked sets the state of a server without a connection. A server that worked for a while is restarted at
// once, any other at the next request. s.mu is held.
func (s *Set) unconnectedLocked(p *peer) {
	r := p.run
	wasWell := !r.ready.IsZero() && time.Since(r.ready) >= wellAfter
	r.ready = time.Time{}
	switch {
	case errors.Is(p.failure, mcpclient.ErrLoginNeeded):
		s.tellLocked(p, mcpclient.ServerNeedsLogin)
	case wasWell:
		s.tryLocked(p)
	default:
		s.tellLocked(p, mcpclient.ServerFailed)
	}
}

// tryLocked starts an attempt to connect to a server. s.mu is held.
func (s *Set) tryLocked(p *peer) {
	if !p.run.trying {
		p.run.trying = true
		s.tellLocked(p, mcpclient.ServerStarting)
	}
}

// wait waits until done returns true or an error. It calls done after every change, with s.mu held.
func (s *Set) wait(ctx context.Context, done func() (bool, error)) error {
	for {
		s.mu.Lock()
		over, err := done()
		changed := s.options.Board.next()
		s.mu.Unlock()
		if over || err != nil {
			return err
		}
		select {
		case <-changed:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// connection returns the connection to a server, and connects again first if it was lost.
func (s *Set) connection(ctx context.Context, p *peer) (c *connection, err error) {
	s.mu.Lock()
	before := p.attempts
	s.mu.Unlock()
	err = s.wait(ctx, func() (bool, error) {
		c, err = s.connectionLocked(p, p.attempts > before)
		return c != nil, err
	})
	return c, err
}

// connectionLocked returns the connection to a server, or nil after starting to connect. With tried it returns an
// error if the last attempt has failed. s.mu is held.
func (s *Set) connectionLocked(p *peer, tried bool) (*connection, error) {
	if p.conn != nil {
		if lost := p.conn.Err(); lost != nil {
			s.loseLocked(p, p.conn, lost)
		}
	}
	switch name := p.config.Name; {
	case s.closed:
		return nil, errClosed
	case p.state == mcpclient.ServerOff:
		return nil, fmt.Errorf("server %q is off", name)
	case p.conn != nil:
		return p.conn, nil
	case tried && !p.run.trying:
		return nil, withContext(p.secrets.Error(p.failure), "server %q was disconnected and cannot be restarted: %w", name)
	}
	s.tryLocked(p)
	return nil, nil //nolint:nilnil // see above
}

// requestError returns why a request failed. If the server is gone, it records that the connection was lost.
func (s *Set) requestError(p *peer, c *connection, o operation, err error) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	name, lost := p.config.Name, c.Err()
	switch {
	case c.why != "":
		return fmt.Errorf("server %q %s %s", name, c.why, o.during)
	case errors.Is(err, jsonrpc.ErrGone) || lost != nil && p.config.Command == "": // a process may respond and then exit
		reason := cmp.Or(lost, err)
		s.loseLocked(p, c, reason)
		return fmt.Errorf("server %q disconnected %s (%w). The next call restarts it", name, o.during, reason)
	case errors.Is(err, mcpclient.ErrLoginNeeded):
		s.loseLocked(p, c, err)
		return withContext(err, "server %q requires a login: %w", name)
	case errors.Is(err, conn.ErrSessionEnded):
		s.loseLocked(p, c, err)
	}
	return withContext(err, "server %q returned no "+o.thing+": %w", name)
}

// withContext wraps an error with a format for the server and the error. Errors about a login need no context.
func withContext(err error, format, server string) error {
	if login, ok := conn.LoginError(err); ok {
		return login
	}
	return fmt.Errorf(format, server, err)
}
