package mcpclient

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/aloudchat/aloud/status"
)

// peer is one configured server and what is known of it. All but config is guarded by Set.mu.
type peer struct {
	config  Server
	secrets secrets
	asking  tally // what it waits for the Host to answer; guarded by itself

	conn     *connection        // nil while there is none
	tools    []Tool             // of the last listing, with their names
	failure  error              // of the last start
	offers   offers             // what it offers besides tools
	settled  bool               // the first start is over
	starting chan struct{}      // closed when the start under way is over; nil: there is none
	abort    context.CancelFunc // ends the start under way
}

var errClosed = errors.New("the servers have been closed")

func newPeer(config Server) *peer {
	config.StartupTimeout = cmp.Or(config.StartupTimeout, defaultStartupTimeout)
	config.ToolTimeout = cmp.Or(config.ToolTimeout, defaultToolTimeout)
	return &peer{config: config, secrets: newSecrets(config.Secrets), offers: newOffers()}
}

// startLocked begins to connect a server. s.mu is held.
func (s *Set) startLocked(ctx context.Context, p *peer) {
	ctx, p.abort = context.WithCancel(ctx)
	p.starting = make(chan struct{})
	s.running.Go(func() { s.start(ctx, p) })
}

// start connects a server and tells the board, once there is a slot for it.
func (s *Set) start(ctx context.Context, p *peer) {
	select {
	case s.slots <- struct{}{}:
		defer func() { <-s.slots }()
	case <-ctx.Done():
		s.started(p, nil, startFailure(ctx, p.config, ctx.Err()), 0)
		return
	}
	began := time.Now()
	ctx, cancel := context.WithTimeout(ctx, p.config.StartupTimeout)
	defer cancel()

	life, end := context.WithCancel(context.WithoutCancel(ctx))
	release := context.AfterFunc(ctx, end)
	conn, err := connect(ctx, life, p.config)
	if err == nil && !release() {
		conn.close()
		err = ctx.Err()
	}
	if err != nil {
		end()
		s.started(p, nil, startFailure(ctx, p.config, err), time.Since(began))
		return
	}
	conn.end = end
	s.started(p, conn, nil, time.Since(began))
	s.running.Go(func() { s.watch(life, p, conn) })
	s.running.Go(func() { s.attend(life, p, conn) })
}

// started records how a start went. The board knows before anybody who waits for it here does.
func (s *Set) started(p *peer, conn *connection, failure error, took time.Duration) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed && conn != nil {
		s.running.Go(conn.close) // Close came before it could know of this one
	}
	p.conn, p.failure = conn, failure
	if conn != nil {
		p.tools = s.names.name(p.secrets.hideInTools(conn.tools))
	}
	s.board.Set(p.entry(took))
	close(p.starting)
	p.abort() // releases the context; the connection has a life of its own
	p.starting, p.abort = nil, nil
	if !p.settled {
		p.settled = true
		s.settled++
		close(s.changed)
		s.changed = make(chan struct{})
	}
}

// entry is what the board shows. s.mu is held.
func (p *peer) entry(took time.Duration) status.Server {
	entry := p.describe()
	entry.Name, entry.Tools, entry.Took = p.config.Name, len(p.tools), took
	entry.Detail, entry.Stderr = p.secrets.hide(entry.Detail), p.secrets.hideAll(entry.Stderr)
	return entry
}

// describe says how the server is. s.mu is held.
func (p *peer) describe() (entry status.Server) {
	if p.failure != nil {
		entry.State, entry.Detail = status.ServerFailed, p.failure.Error()
		if last, ok := errors.AsType[*lastWordsError](p.failure); ok {
			entry.Stderr = last.words
		}
		return entry
	}
	entry.State, entry.Detail = status.ServerReady, strings.Join(p.conn.remarks, "; ")
	entry.Stderr = p.conn.words()
	return entry
}

// connected returns the connection to a server. One that was lost is made again, once for all who wait for it.
func (s *Set) connected(ctx context.Context, p *peer) (*connection, error) {
	s.mu.Lock()
	if p.conn != nil && p.conn.isLost() {
		s.loseLocked(p, p.conn) // we are here before the one who watches
	}
	if p.conn != nil || s.closed {
		defer s.mu.Unlock()
		if s.closed {
			return nil, errClosed
		}
		return p.conn, nil
	}
	if p.starting == nil {
		s.board.Set(status.Server{Name: p.config.Name, State: status.ServerStarting, Tools: len(p.tools)})
		s.startLocked(context.WithoutCancel(ctx), p) // others may wait for it too
	}
	starting := p.starting
	s.mu.Unlock()

	select {
	case <-starting:
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if p.conn == nil {
		return nil, fmt.Errorf("the server %q is gone and could not be started again: %w", p.config.Name, cmp.Or(p.secrets.hideIn(p.failure), errClosed))
	}
	return p.conn, nil
}

// relistPause bounds the work a server can make us do by announcing new tools without end.
const relistPause = 200 * time.Millisecond

// watch looks after a connection until life ends.
func (s *Set) watch(life context.Context, p *peer, c *connection) {
	for {
		select {
		case <-life.Done():
			return
		case <-c.lost:
			s.mu.Lock()
			s.loseLocked(p, c)
			s.mu.Unlock()
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
	s.board.Set(p.entry(c.took))
}

// loseLocked gives a connection up, unless that is known already. s.mu is held.
func (s *Set) loseLocked(p *peer, c *connection) {
	if p.conn != c || s.closed {
		return
	}
	p.conn, p.failure = nil, c.lossReason()
	entry := p.entry(c.took)
	entry.Detail += "; it is started again when one of its tools is called"
	s.board.Set(entry)
	s.running.Go(c.close)
}

// startFailure says in one sentence why a start went wrong.
func startFailure(ctx context.Context, config Server, err error) error {
	var words []string
	if last, ok := errors.AsType[*lastWordsError](err); ok {
		words = last.words
	}
	switch {
	case errors.Is(err, context.DeadlineExceeded) && ctx.Err() != nil:
		err = fmt.Errorf("was not ready within %v: startup_timeout_sec gives it longer", config.StartupTimeout)
	case errors.Is(err, context.Canceled):
		err = errors.New("was stopped while it started")
	}
	return &lastWordsError{err, words}
}

// lastWordsError is an error of a server with what it wrote last.
type lastWordsError struct {
	error
	words []string
}

func (e *lastWordsError) Unwrap() error { return e.error }
