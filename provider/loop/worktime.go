package loop

import (
	"sync"
	"time"

	"github.com/aloudchat/aloud/provider"
)

// workTime is the clock of a turn's work, and calls an end when the time for it is used. It stands still while there are pauses, which may
// overlap. The zero value has not been started and never ends. Safe for concurrent use.
type workTime struct {
	mu      sync.Mutex
	pauses  int
	worked  time.Duration // before since
	since   time.Time     // when it last began to run; zero if it was not started
	away    time.Duration // in which the program was suspended, before left
	limit   time.Duration
	grace   time.Duration // after the limit, to finish an answer
	granted time.Duration // the least grace
	late    chan struct{} // holds a token once the limit has passed and the grace runs
	counts  bool          // what is done counts against the limit
	timer   *time.Timer
	end     func()
}

// start lets the clock run. Nothing counts against the limit before release. The caller must call stop.
func (w *workTime) start(limit time.Duration, end func()) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.since, w.limit, w.end, w.late = time.Now(), limit, end, make(chan struct{}, 1)
	w.timer = time.AfterFunc(limit, w.check)
	w.timer.Stop()
}

func (w *workTime) stop() {
	w.timer.Stop()
	w.pause()
}

func (w *workTime) pause() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.stand()
}

// stand adds a pause. w.mu is held.
func (w *workTime) stand() {
	w.worked = w.elapsed()
	w.pauses++
}

// resume ends one pause.
func (w *workTime) resume() {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.pauses--; w.pauses == 0 {
		w.since = time.Now()
		w.rearm()
	}
}

// suspend pauses the clock while the program is stopped, until resume is called.
func (w *workTime) suspend() (resume func()) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.stand()
	left := time.Now()
	return func() {
		w.mu.Lock()
		w.away += time.Since(left)
		w.mu.Unlock()
		w.resume()
	}
}

// suspended is how long the program was stopped since the clock was made.
func (w *workTime) suspended() time.Duration {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.away
}

// elapsed is the work so far. w.mu is held.
func (w *workTime) elapsed() time.Duration {
	if w.since.IsZero() || w.pauses > 0 {
		return w.worked
	}
	return w.worked + time.Since(w.since)
}

// release lets the limit begin, once. Before that the model reads what the turn begins with: however long that takes, the loop has not run away.
func (w *workTime) release() {
	w.mu.Lock()
	defer w.mu.Unlock()
	if !w.counts {
		w.counts = true
		w.limit += w.elapsed()
		w.rearm()
	}
}

// spare sets how long the work may go on after its limit, though never to less than what was granted. Without a grace a limit that has passed
// ends the work at once.
func (w *workTime) spare(grace time.Duration) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if grace = max(grace, w.granted); grace != w.grace {
		w.grace = grace
		w.rearm()
	}
}

// grant lets the work go on until its limit, and for at least d from now. Then it calls another end.
func (w *workTime) grant(d time.Duration, end func()) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.granted = max(0, w.elapsed()+d-w.limit)
	w.grace, w.end = w.granted, end
	w.rearm()
}

// now is how the clock stands, and when the turn will be cut off if it is in its grace.
func (w *workTime) now() provider.Clock {
	w.mu.Lock()
	defer w.mu.Unlock()
	c := provider.Clock{At: time.Now(), Worked: w.elapsed(), Paused: w.since.IsZero() || w.pauses > 0, Suspended: w.away}
	if left := w.limit + w.grace - c.Worked; w.counts && !c.Paused && c.Worked >= w.limit && left > 0 {
		c.Ends = c.At.Add(left)
	}
	return c
}

// rearm sets the timer to when the limit, or else the grace, will have passed. w.mu is held.
func (w *workTime) rearm() {
	if !w.counts || w.pauses > 0 {
		return
	}
	next, worked := w.limit, w.elapsed()
	if worked >= w.limit {
		next += w.grace
	}
	w.timer.Reset(next - worked)
}

// check runs when the timer fires, which may be just after a pause or a new limit.
func (w *workTime) check() {
	w.mu.Lock()
	defer w.mu.Unlock()
	worked := w.elapsed()
	switch {
	case w.pauses > 0, !w.counts:
		return
	case worked >= w.limit+w.grace:
		w.end()
		return
	case worked >= w.limit:
		select {
		case w.late <- struct{}{}:
		default:
		}
	}
	w.rearm()
}
