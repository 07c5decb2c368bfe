package mcpclient

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os/exec"
	"slices"
	"strings"
	"time"

	"github.com/aloudchat/aloud/mcpclient/conn"
	"github.com/aloudchat/aloud/mcpclient/stdio"
)

const (
	firstWait = time.Second // before the first attempt to reconnect; it doubles from one to the next
	longest   = time.Minute
	maxTries  = 8           // in a row, about three minutes in all
	wellAgain = time.Minute // a server that was ready for so long starts with no losses

	// slotTime is how long a server may keep others from starting. The work of a start is over by then; one that still says nothing only waits.
	slotTime = 2 * time.Second
)

var errClosed = errors.New("the servers have been closed")

// run is a server from when it is started until it is stopped: by you, a restart, another configuration, or the end of the set. Its goroutine
// connects to the server, listens to it, and connects again when the connection is lost. Set.mu guards all but stop and over.
type run struct {
	stop context.CancelFunc
	over chan struct{} // closed when the server has ended

	trying bool      // an attempt to connect is under way, or wanted
	known  bool      // the server has been ready
	ready  time.Time // when it last became so
	tries  int       // attempts to reconnect, in a row
	next   time.Time // of the next attempt; zero: none is planned
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
		for s.connect(ctx, p, r) && s.pause(ctx, p, r) {
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
	leave, ok := s.enter(ctx, p.config)
	if !ok {
		return false
	}
	began := time.Now()
	life, end := context.WithCancel(context.WithoutCancel(ctx))
	defer end()
	l, tools, odd, err := s.dial(ctx, life, end, p)
	leave()
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

// enter waits until servers may start, and for a slot; leave gives it back. A server that runs elsewhere needs none.
func (s *Set) enter(ctx context.Context, config Server) (leave func(), ok bool) {
	if s.hold != nil {
		select {
		case <-s.hold:
		case <-ctx.Done():
			return nil, false
		}
	}
	if config.URL != "" {
		return func() {}, ctx.Err() == nil
	}
	select {
	case s.slots <- struct{}{}:
	case <-ctx.Done():
		return nil, false
	}
	early := time.AfterFunc(slotTime, func() { <-s.slots })
	return func() {
		if early.Stop() {
			<-s.slots
		}
	}, true
}

// dial connects to a server within its time, and lists its tools. life is that of the connection, and end ends it.
func (s *Set) dial(ctx, life context.Context, end context.CancelFunc, p *peer) (l *conn.Conn, tools []Tool, odd []string, err error) {
	ctx, cancel := context.WithTimeout(ctx, p.config.StartupTimeout)
	defer cancel()
	release := context.AfterFunc(ctx, end)
	l, err = s.dialer(ctx, life, p.config, s.answerer(p))
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
	r.trying, r.known, r.ready = false, true, time.Now()
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
	s.recoverLocked(p)
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
	if time.Since(p.run.ready) >= wellAgain {
		p.run.tries = 0
	}
	s.recoverLocked(p)
}

// recoverLocked plans another attempt for a server without a connection, or gives it up. s.mu is held.
func (s *Set) recoverLocked(p *peer) {
	r := p.run
	switch {
	case errors.Is(p.failure, conn.ErrLoginNeeded):
		s.tellLocked(p, ServerNeedsLogin)
	case r.tries >= maxTries || hopeless(p.failure) || !r.known && !(p.config.URL != "" && conn.Unreachable(p.failure)):
		s.tellLocked(p, ServerFailed) // one that never was ready waits to be restarted by hand; only a network may be on its way
	default:
		wait := min(firstWait<<r.tries, longest)
		wait = wait*3/4 + rand.N(wait/2) //nolint:gosec // a quarter is chance: servers lost together do not come back together
		r.tries++
		r.next = time.Now().Add(wait)
		s.tellLocked(p, ServerReconnecting)
	}
}

// hopeless reports whether a failure stays until you do something.
func hopeless(err error) bool {
	return errors.Is(err, exec.ErrNotFound) || errors.Is(err, fs.ErrNotExist) || errors.Is(err, fs.ErrPermission)
}

// pause waits for the next attempt to connect to a server: the planned one, or one that a call wants. It reports false when the server was
// stopped.
func (s *Set) pause(ctx context.Context, p *peer, r *run) bool {
	s.mu.Lock()
	next := r.next
	s.mu.Unlock()
	planned, cancel := ctx, func() {}
	if !next.IsZero() {
		planned, cancel = context.WithDeadline(ctx, next)
	}
	defer cancel()
	if s.wait(planned, func() bool { return r.trying }) == nil {
		return ctx.Err() == nil
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if p.run != r {
		return false
	}
	s.tryLocked(p)
	return true
}

// tryLocked has an attempt to connect to a server made now, if none is under way. s.mu is held.
func (s *Set) tryLocked(p *peer) {
	r := p.run
	if r.trying {
		return
	}
	r.trying, r.next = true, time.Time{}
	state := ServerStarting
	if r.known || r.tries > 0 {
		state = ServerReconnecting
	}
	s.tellLocked(p, state)
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
	case p.gone != "":
		return nil, fmt.Errorf("the server %q %s before it could be asked", name, p.gone)
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
		s.loseLocked(p, c, lost)
		return fmt.Errorf("the server %q died %s (%w) and %s", name, o.meanwhile, lost, p.prospect())
	case errors.Is(err, stdio.ErrGone) || conn.Unreachable(err):
		s.loseLocked(p, c, err)
		return fmt.Errorf("the server %q is gone (%w) and %s", name, err, p.prospect())
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

// prospect says what becomes of a server that was lost. Set.mu is held.
func (p *peer) prospect() string {
	switch {
	case p.run == nil:
		return "was stopped"
	case p.state == ServerReady:
		return "is running again"
	case p.state == ServerFailed && p.run.tries < maxTries:
		return "will not be started again by itself"
	case p.state == ServerFailed:
		return "was " + givenUp
	case p.config.URL != "":
		return "is being connected again"
	}
	return "is being started again"
}

var givenUp = fmt.Sprintf("given up after %d attempts", maxTries)
