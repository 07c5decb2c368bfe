package mcpclient

import (
	"context"

	"github.com/aloudchat/aloud/mcpclient/elicit"
)

// answerer answers what a server asks.
func (s *Set) answerer(p *peer) *elicit.Answerer {
	a := &elicit.Answerer{
		Server:  p.config.Name,
		Secrets: p.secrets.Hider,
		Host:    s.host,
		Samples: s.host != nil && p.config.Sampling != SamplingDeny,
		Begin: func() (end func()) {
			endOne, endAll := p.asking.Begin(), s.asking.Begin()
			return func() { endOne(); endAll() }
		},
	}
	if !p.config.NoRoots {
		a.Roots = s.Roots
	}
	return a
}

// withToolTime returns a context that ends when the time for a call of the server is up. While the server waits for an answer of the Host, it is not the
// server that takes its time.
func (p *peer) withToolTime(ctx context.Context) (context.Context, context.CancelFunc) {
	ctx, cancel := context.WithCancelCause(ctx)
	go func() {
		if p.asking.Pass(ctx, p.config.ToolTimeout) {
			cancel(errTooLong)
		}
	}()
	return ctx, func() { cancel(nil) }
}

// Asking reports whether a server waits for an answer of the Host, with a channel that is closed when that changes.
func (s *Set) Asking() (asking bool, changed <-chan struct{}) {
	return s.asking.Some()
}

// tellRoots tells the servers that the roots have changed.
func (s *Set) tellRoots() {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, p := range s.peers {
		if p.conn != nil && !s.closed {
			s.running.Go(p.conn.TellRoots)
		}
	}
}
