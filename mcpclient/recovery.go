package mcpclient

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os/exec"
	"time"

	"github.com/aloudchat/aloud/mcpclient/conn"
)

const (
	firstWait = time.Second // before the first attempt; it doubles from one to the next
	longest   = time.Minute
	maxTries  = 8           // in a row, about three minutes in all
	wellAgain = time.Minute // so long a server must have been ready for its earlier losses to be forgotten
)

// recovery is how a server that was lost comes back: by attempts further and further apart, until it is well or given up. The zero value is a
// server that has not been ready yet.
type recovery struct {
	known bool        // it has been ready since it was last started by hand
	ready time.Time   // when it last became so
	tries int         // attempts in a row
	next  time.Time   // of the next attempt; zero: none is planned
	timer *time.Timer // that strikes then
}

func (r *recovery) connected() { r.known, r.ready = true, time.Now() }

// lost notes that a server that was ready is not any more.
func (r *recovery) lost() {
	if time.Since(r.ready) >= wellAgain {
		r.tries = 0
	}
}

// cancel takes the next attempt back.
func (r *recovery) cancel() {
	if r.timer != nil {
		r.timer.Stop()
		r.timer, r.next = nil, time.Time{}
	}
}

// state is that of a server for which an attempt is made.
func (r *recovery) state() ServerState {
	if r.known || r.tries > 0 {
		return ServerReconnecting
	}
	return ServerStarting
}

func (r *recovery) words() string { return fmt.Sprintf("%d attempts", r.tries) }

// wait is how long it takes until the next attempt. A quarter is chance: servers lost together do not come back together.
func (r *recovery) wait() time.Duration {
	wait := min(firstWait<<min(r.tries, 10), longest)
	return wait*3/4 + rand.N(wait/2) //nolint:gosec // nothing secret hangs on it
}

// recoverLocked plans another attempt for a server without a connection, or gives it up. s.mu is held.
func (s *Set) recoverLocked(ctx context.Context, p *peer) {
	switch {
	case errors.Is(p.failure, conn.ErrLoginNeeded):
		s.tellLocked(p, ServerNeedsLogin)
	case s.closed || !p.worthTrying():
		s.tellLocked(p, ServerFailed)
	default:
		s.planLocked(context.WithoutCancel(ctx), p)
		s.tellLocked(p, ServerReconnecting)
	}
}

// worthTrying reports whether another attempt may bring a server back. A server that never was ready waits to be restarted by hand; only a
// network may be on its way. s.mu is held.
func (p *peer) worthTrying() bool {
	switch {
	case p.again.tries >= maxTries || hopeless(p.failure):
		return false
	case p.again.known:
		return true
	}
	return p.config.URL != "" && conn.Unreachable(p.failure)
}

// hopeless reports whether a failure stays until you do something.
func hopeless(err error) bool {
	return errors.Is(err, exec.ErrNotFound) || errors.Is(err, fs.ErrNotExist) || errors.Is(err, fs.ErrPermission)
}

// planLocked plans the next attempt. s.mu is held.
func (s *Set) planLocked(ctx context.Context, p *peer) {
	wait := p.again.wait()
	p.again.tries++
	p.again.next = time.Now().Add(wait)
	var timer *time.Timer
	timer = time.AfterFunc(wait, func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		if p.again.timer != timer {
			return // it was taken back just now
		}
		p.again.cancel()
		s.beginLocked(ctx, p)
		s.tellLocked(p, ServerReconnecting)
	})
	p.again.timer = timer
}
