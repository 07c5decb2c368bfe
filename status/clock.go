package status

import (
	"sync"
	"time"
)

// Stopwatch measures work time: it stands still while a person is asked or a model is being loaded. Pauses may overlap: the time runs on
// when every Pause has had its Resume. The zero value has not been started and shows 0. Safe for concurrent use.
type Stopwatch struct {
	mu      sync.Mutex
	running bool
	pauses  int
	worked  time.Duration // before since
	since   time.Time     // when it last began to run, while it does
}

// Start begins anew, at zero and without pauses.
func (w *Stopwatch) Start() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.running, w.pauses, w.worked, w.since = true, 0, 0, time.Now()
}

// Pause stops the time until the matching Resume.
func (w *Stopwatch) Pause() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.worked = w.elapsed(time.Now())
	w.pauses++
}

// Resume ends one Pause. Without one it does nothing.
func (w *Stopwatch) Resume() {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.pauses == 0 {
		return
	}
	if w.pauses--; w.pauses == 0 {
		w.since = time.Now()
	}
}

// Skip takes d out of the time: the program did not run for so long, because it was suspended or the machine slept.
func (w *Stopwatch) Skip(d time.Duration) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.running && w.pauses == 0 {
		w.since = w.since.Add(max(d, 0))
	}
}

// Elapsed is the work time so far.
func (w *Stopwatch) Elapsed() time.Duration {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.elapsed(time.Now())
}

// Stamp puts the work time of this moment on s: Worked, At and Paused.
func (w *Stopwatch) Stamp(s State) State {
	w.mu.Lock()
	defer w.mu.Unlock()
	s.At = time.Now()
	s.Worked = w.elapsed(s.At)
	s.Paused = !w.running || w.pauses > 0
	return s
}

func (w *Stopwatch) elapsed(now time.Time) time.Duration {
	if !w.running || w.pauses > 0 {
		return w.worked
	}
	return w.worked + max(now.Sub(w.since), 0)
}
