package elicit

import (
	"context"
	"sync"
	"time"
)

// Timer measures a time limit. The zero value is ready to use. Safe for concurrent use.
type Timer struct {
	mu      sync.Mutex
	pauses  int
	changed chan struct{} // closed when the timer is paused or resumed; nil if no goroutine waits
}

// Pause pauses the timer until resume is called. Pauses may overlap.
func (t *Timer) Pause() (resume func()) {
	t.add(1)
	return func() { t.add(-1) }
}

func (t *Timer) add(n int) {
	t.mu.Lock()
	defer t.mu.Unlock()
	before := t.pauses
	t.pauses += n
	if (before == 0) != (t.pauses == 0) && t.changed != nil {
		close(t.changed)
		t.changed = nil
	}
}

func (t *Timer) paused() (paused bool, changed <-chan struct{}) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.changed == nil {
		t.changed = make(chan struct{})
	}
	return t.pauses > 0, t.changed
}

// Wait waits until the time has passed, pauses not counted. It starts again when alive, which may be nil, receives. It
// reports false if ctx ended first.
func (t *Timer) Wait(ctx context.Context, limit time.Duration, alive <-chan struct{}) bool {
	for left := limit; ; {
		began := time.Now()
		paused, changed := t.paused()
		var over <-chan time.Time
		if !paused {
			over = time.After(left)
		}
		select {
		case <-over:
			return true
		case <-alive:
			left = limit
		case <-changed:
			if !paused {
				left -= time.Since(began)
			}
		case <-ctx.Done():
			return false
		}
	}
}
