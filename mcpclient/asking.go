package mcpclient

import (
	"context"
	"sync"
	"time"
)

// tally counts what is going on, and tells when that begins and when it is over. Safe for concurrent use. The zero value is ready.
type tally struct {
	mu      sync.Mutex
	count   int
	changed chan struct{} // closed when the count comes to zero, or leaves it; nil: nobody waits
}

// begin counts one more, until end is called.
func (t *tally) begin() (end func()) {
	t.add(1)
	return func() { t.add(-1) }
}

func (t *tally) add(n int) {
	t.mu.Lock()
	defer t.mu.Unlock()
	before := t.count
	t.count += n
	if (before == 0) != (t.count == 0) && t.changed != nil {
		close(t.changed)
		t.changed = nil
	}
}

// some tells whether the count is not zero, and what is closed when that changes.
func (t *tally) some() (some bool, changed <-chan struct{}) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.changed == nil {
		t.changed = make(chan struct{})
	}
	return t.count > 0, t.changed
}

// pass waits until the time has passed, not counting what passes while the count is not zero. It returns false when ctx ended first.
func (t *tally) pass(ctx context.Context, left time.Duration) bool {
	for {
		began := time.Now()
		some, changed := t.some()
		var over <-chan time.Time // never, while it stands still
		if !some {
			over = time.After(left)
		}
		select {
		case <-over:
			return true
		case <-changed:
			if !some {
				left -= time.Since(began)
			}
		case <-ctx.Done():
			return false
		}
	}
}

// withToolTime returns a context that ends when the time is up that a call of the server has. While the server asks somebody, it is not the
// server that takes its time.
func (p *peer) withToolTime(ctx context.Context) (context.Context, context.CancelFunc) {
	ctx, cancel := context.WithCancelCause(ctx)
	go func() {
		if p.asking.pass(ctx, p.config.ToolTimeout) {
			cancel(errTooLong)
		}
	}()
	return ctx, func() { cancel(nil) }
}

// Asking tells whether a server waits for an answer of the Host now, and a channel closed when that changes.
func (s *Set) Asking() (asking bool, changed <-chan struct{}) {
	return s.asking.some()
}
