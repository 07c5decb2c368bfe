package elicit

import (
	"context"
	"sync"
	"time"
)

// Tally counts the open questions of a server; meanwhile the time of its calls stands still. Safe for concurrent use. The zero value is ready
// to use.
type Tally struct {
	mu      sync.Mutex
	count   int
	changed chan struct{} // closed when the count comes to zero, or leaves it; nil if nothing waits
}

// Begin counts one more, until end is called.
func (t *Tally) Begin() (end func()) {
	t.add(1)
	return func() { t.add(-1) }
}

func (t *Tally) add(n int) {
	t.mu.Lock()
	defer t.mu.Unlock()
	before := t.count
	t.count += n
	if (before == 0) != (t.count == 0) && t.changed != nil {
		close(t.changed)
		t.changed = nil
	}
}

func (t *Tally) some() (some bool, changed <-chan struct{}) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.changed == nil {
		t.changed = make(chan struct{})
	}
	return t.count > 0, t.changed
}

// Pass waits until the time has passed, not counting what passes while the count is not zero. It returns false when ctx ended first.
func (t *Tally) Pass(ctx context.Context, left time.Duration) bool {
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
