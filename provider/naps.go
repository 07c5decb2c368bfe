package provider

import (
	"sync"
	"time"
)

const (
	beat = time.Second     // how often a turn looks at the clock
	nap  = 3 * time.Second // that a look is late: no busy machine keeps a program waiting for so long
)

// naps notices when the program did not run for a while: it was suspended with ctrl+z, or the machine slept. No event tells of that on every
// system, but a clock that is looked at every second and jumps does. Such time counts for nothing: neither for the limits nor on the line.
type naps struct {
	woke chan struct{} // holds one token after a nap

	mu    sync.Mutex
	now   func() time.Time
	skip  func(time.Duration) // is told of every nap
	timer *time.Timer
	last  time.Time
	slept time.Duration
}

func newNaps(now func() time.Time) *naps {
	return &naps{woke: make(chan struct{}, 1), now: now}
}

// start begins to look, and tells skip how long each nap was. The caller must call stop.
func (n *naps) start(skip func(time.Duration)) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.skip, n.last = skip, n.now()
	n.timer = time.AfterFunc(beat, func() {
		n.look()
		n.mu.Lock()
		defer n.mu.Unlock()
		if n.timer != nil {
			n.timer.Reset(beat)
		}
	})
}

func (n *naps) stop() {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.timer.Stop()
	n.timer = nil
}

// look finds out whether there was a nap, and returns how long all of them were. Timers that are late because of one may run before the
// regular look: whoever acts on a time that is up looks first.
func (n *naps) look() time.Duration {
	n.mu.Lock()
	defer n.mu.Unlock()
	now := n.now()
	gap := now.Sub(n.last)
	n.last = now
	if gap < beat+nap || n.timer == nil {
		return n.slept
	}
	gap -= beat // it may have run for so long of it
	n.slept += gap
	n.skip(gap)
	select {
	case n.woke <- struct{}{}:
	default:
	}
	return n.slept
}
