package provider

import (
	"sync"
	"time"

	"github.com/aloudchat/aloud/status"
)

// workTime calls an end when the time for the work is used. It stands still between pause and resume. Its zero value never ends.
type workTime struct {
	watch   status.Stopwatch
	mu      sync.Mutex
	limit   time.Duration
	grace   time.Duration // after the limit, to finish an answer
	granted time.Duration // the least grace
	late    chan struct{} // holds a token once the limit has passed and the grace runs
	paused  bool
	held    bool          // what is done counts for nothing
	since   time.Duration // the work until then
	timer   *time.Timer
	end     func()
	look    func() time.Duration // for naps; nil: there are none
}

// start begins to count. The caller must call stop.
func (w *workTime) start(limit time.Duration, end func()) {
	w.leaveOutNaps()
	w.mu.Lock()
	defer w.mu.Unlock()
	w.watch.Start()
	w.limit, w.end, w.late = limit, end, make(chan struct{}, 1)
	w.timer = time.AfterFunc(limit, w.check)
}

func (w *workTime) stop() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.timer.Stop()
	w.paused = true
	w.watch.Pause()
}

func (w *workTime) pause() {
	w.leaveOutNaps()
	w.mu.Lock()
	defer w.mu.Unlock()
	w.watch.Pause()
	w.paused = true
}

func (w *workTime) resume() {
	w.leaveOutNaps()
	w.mu.Lock()
	defer w.mu.Unlock()
	w.watch.Resume()
	w.paused = false
	w.rearm()
}

// hold lets the clock run on while nothing counts against the limit, until release. The model reads what the turn begins with: however long
// that takes, the loop has not run away.
func (w *workTime) hold() {
	w.leaveOutNaps()
	w.mu.Lock()
	defer w.mu.Unlock()
	if !w.held {
		w.held, w.since = true, w.watch.Elapsed()
	}
}

func (w *workTime) release() {
	w.leaveOutNaps()
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.held {
		w.held = false
		w.limit += w.watch.Elapsed() - w.since
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
	w.leaveOutNaps()
	w.mu.Lock()
	defer w.mu.Unlock()
	w.granted = max(0, w.watch.Elapsed()+d-w.limit)
	w.grace, w.end = w.granted, end
	w.rearm()
}

// overtime is how much of its grace the work has used.
func (w *workTime) overtime() time.Duration {
	w.mu.Lock()
	defer w.mu.Unlock()
	return min(max(0, w.watch.Elapsed()-w.limit), w.grace)
}

// stamp puts the clock on the line, and when the turn will be cut off if it is in its grace.
func (w *workTime) stamp(line status.State) status.State {
	w.mu.Lock()
	defer w.mu.Unlock()
	line = w.watch.Stamp(line)
	line.Ends = time.Time{}
	if left := w.limit + w.grace - line.Worked; w.timer != nil && !line.Paused && line.Worked >= w.limit && left > 0 {
		line.Ends = line.At.Add(left)
	}
	return line
}

func (w *workTime) rearm() {
	if w.timer == nil || w.paused || w.held {
		return
	}
	next, worked := w.limit, w.watch.Elapsed()
	if worked >= w.limit {
		next += w.grace
	}
	w.timer.Reset(next - worked)
}

// leaveOutNaps has a nap skipped that nobody has noticed yet. It belongs to the time before it: once the clock stands still, runs on or has another
// limit, nobody could tell.
func (w *workTime) leaveOutNaps() {
	if w.look != nil {
		w.look()
	}
}

// skip leaves out of the work time that the program did not run for d.
func (w *workTime) skip(d time.Duration) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.watch.Skip(d)
	w.rearm()
}

// check runs when the timer fires, which may be just after a pause, a new limit or a nap.
func (w *workTime) check() {
	w.leaveOutNaps()
	w.mu.Lock()
	defer w.mu.Unlock()
	worked := w.watch.Elapsed()
	switch {
	case w.paused, w.held:
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
